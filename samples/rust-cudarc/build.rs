//! Proves and compiles the kernels before the program is compiled; one with an error fails the build with its line in Python.
use std::{env, process::Command};

fn main() {
    let tool = env::var("TRANSPILE").unwrap_or_else(|_| "transpile".into());
    let status = Command::new(tool)
        .args(["build", "kernels/saxpy.py", "--arch", "sm_80", "--to", "ptx", "-o"])
        .arg(env::var("OUT_DIR").unwrap())
        .status()
        .expect("`transpile` is not on the path: set TRANSPILE");
    assert!(status.success(), "kernels/saxpy.py is not proved");
    println!("cargo::rerun-if-changed=kernels");
    println!("cargo::rerun-if-env-changed=TRANSPILE");
}
