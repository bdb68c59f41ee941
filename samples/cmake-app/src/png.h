// A PNG file without compression: enough for a picture of a plate, and no library.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace png {

using bytes = std::vector<std::uint8_t>;

inline void put_number(bytes& out, std::uint32_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        out.push_back(static_cast<std::uint8_t>(number >> shift));
    }
}

inline std::uint32_t crc(const std::uint8_t* data, std::size_t size)
{
    std::uint32_t sum = 0xffffffffu;
    for (std::size_t i = 0; i < size; ++i) {
        sum ^= data[i];
        for (int bit = 0; bit < 8; ++bit) {
            sum = (sum >> 1) ^ ((sum & 1u) != 0 ? 0xedb88320u : 0u);
        }
    }
    return ~sum;
}

inline void put_chunk(bytes& out, const char* kind, const bytes& content)
{
    put_number(out, static_cast<std::uint32_t>(content.size()));
    const std::size_t start = out.size();
    out.insert(out.end(), kind, kind + 4);
    out.insert(out.end(), content.begin(), content.end());
    put_number(out, crc(out.data() + start, out.size() - start));
}

/// A zlib stream of stored blocks.
inline bytes stored(const bytes& raw)
{
    bytes out = {0x78, 0x01};
    std::uint32_t a = 1;
    std::uint32_t b = 0;
    for (std::uint8_t byte : raw) {
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    for (std::size_t at = 0; at < raw.size(); at += 65535) {
        const std::size_t size = raw.size() - at < 65535 ? raw.size() - at : 65535;
        out.push_back(at + size == raw.size() ? 1 : 0);
        for (std::size_t word : {size, ~size}) {
            out.push_back(static_cast<std::uint8_t>(word));
            out.push_back(static_cast<std::uint8_t>(word >> 8));
        }
        out.insert(out.end(), raw.begin() + static_cast<std::ptrdiff_t>(at),
                   raw.begin() + static_cast<std::ptrdiff_t>(at + size));
    }
    put_number(out, b << 16 | a);
    return out;
}

/// Writes height x width x 3 bytes of red, green and blue.
inline bool write(const std::string& path, const bytes& rgb, std::uint32_t width, std::uint32_t height)
{
    bytes header;
    put_number(header, width);
    put_number(header, height);
    header.insert(header.end(), {8, 2, 0, 0, 0});
    bytes rows;
    for (std::size_t y = 0; y < height; ++y) {
        rows.push_back(0);
        const auto row = rgb.begin() + static_cast<std::ptrdiff_t>(y * width * 3);
        rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(width * 3));
    }
    bytes out = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    put_chunk(out, "IHDR", header);
    put_chunk(out, "IDAT", stored(rows));
    put_chunk(out, "IEND", {});
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) {
        return false;
    }
    const bool is_written = std::fwrite(out.data(), 1, out.size(), file) == out.size();
    return std::fclose(file) == 0 && is_written;
}

}  // namespace png
