//! y = a * x + y on the GPU. The kernel is Python (kernels/saxpy.py); its PTX is inside the program.
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use std::error::Error;

const KERNELS: &str = include_str!(concat!(env!("OUT_DIR"), "/saxpy.sm_80.ptx"));

/// A launch that meets the contract in saxpy.json: both arrays have N elements, and Rust keeps them apart.
fn saxpy(a: f32, x: &[f32], y: &[f32]) -> Result<Vec<f32>, Box<dyn Error>> {
    if x.len() != y.len() {
        return Err(format!("x has {} elements, y has {}", x.len(), y.len()).into());
    }
    let context = CudaContext::new(0)?;
    let kernel = context.load_module(Ptx::from_src(KERNELS))?.load_function("saxpy")?; // "entry"
    let stream = context.default_stream();
    let x_device = stream.clone_htod(x)?;
    let mut y_device = stream.clone_htod(y)?;
    let n = x.len() as i64;
    let config = LaunchConfig {
        grid_dim: (x.len().div_ceil(256) as u32, 1, 1), // covers "domain"
        block_dim: (256, 1, 1),                         // "block"
        shared_mem_bytes: 0,                            // "shared": "dynamic"
    };
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&a).arg(&x_device).arg(&mut y_device).arg(&n); // "parameters", in their order
    unsafe { launch.launch(config) }?;
    Ok(stream.clone_dtoh(&y_device)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let y = saxpy(2.0, &x, &vec![1.0; x.len()])?;
    assert!(y.iter().zip(&x).all(|(y, x)| *y == 2.0 * x + 1.0));
    println!("saxpy: {} elements are right", y.len());
    Ok(())
}
