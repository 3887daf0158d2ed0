// A thin layer over the C API of HDF5: handles that close themselves, errors that throw, strings and numbers as
// attributes. HDF5 only ever sees memory and files opened for reading; see layout.h.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "marey/core.h"

namespace marey::h5 {

// HDF5 prints its own error stack unless told not to; our errors are reported once, in plain words.
inline void hush() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

// A call of HDF5 that failed. Whoever knows the file turns it into an Error.
struct Failure {
  const char* what;
};

class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(id), close_(close) {
    if (id < 0) throw Failure{what};
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_), std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }  // NOLINT: stands for the id in every call of HDF5

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

inline void need(herr_t status, const char* what) {
  if (status < 0) throw Failure{what};
}

inline Handle scalar_space() { return {H5Screate(H5S_SCALAR), H5Sclose, "make a dataspace"}; }
inline Handle space(const std::vector<hsize_t>& dims) {
  return {H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), H5Sclose, "make a dataspace"};
}
inline Handle property_list(hid_t kind) { return {H5Pcreate(kind), H5Pclose, "make a property list"}; }
inline Handle open_dataset(hid_t at, const std::string& name) {
  return {H5Dopen2(at, name.c_str(), H5P_DEFAULT), H5Dclose, "open a dataset"};
}

// UTF-8, `size` bytes, padded with zeros: one contiguous piece that can be rewritten in place.
Handle string_type(std::size_t size);

void write_attribute(hid_t object, const char* name, const std::string& value);
void write_attribute(hid_t object, const char* name, double value);
void write_attribute(hid_t object, const char* name, long long value);
void write_attribute(hid_t object, const char* name, const std::vector<std::string>& values);
void write_attribute(hid_t object, const char* name, const std::vector<std::uint32_t>& values);

std::string read_text_attribute(hid_t object, const char* name);
double read_number_attribute(hid_t object, const char* name);
std::vector<std::string> read_texts_attribute(hid_t object, const char* name);
std::vector<std::uint32_t> read_wholes_attribute(hid_t object, const char* name);

// Numbers of one dimension, as many as the dataset has.
std::vector<std::uint32_t> read_wholes(hid_t dataset);

std::string read_text(hid_t dataset);
std::vector<std::string> read_texts(hid_t dataset);
std::vector<hsize_t> dims_of(hid_t dataset);

// A damaged size must not become an allocation: throws if `count` things of `size` bytes are more than the object's
// file holds.
void check_fits_file(hid_t object, std::size_t count, std::size_t size, const char* what);

// The strings of equal length, one after the other, that HDF5 wants for an array of strings.
struct PaddedTexts {
  explicit PaddedTexts(const std::vector<std::string>&);
  std::size_t size = 1;  // of each
  std::string bytes;
};

}  // namespace marey::h5
