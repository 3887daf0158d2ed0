#include "io/motion/h5.h"

#include <algorithm>

namespace marey::h5 {

Handle string_type(std::size_t size) {
  Handle type{H5Tcopy(H5T_C_S1), H5Tclose, "make a string type"};
  need(H5Tset_size(type, std::max<std::size_t>(size, 1)), "make a string type");
  need(H5Tset_strpad(type, H5T_STR_NULLPAD), "make a string type");
  need(H5Tset_cset(type, H5T_CSET_UTF8), "make a string type");
  return type;
}

PaddedTexts::PaddedTexts(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) size = std::max(size, text.size());
  for (const std::string& text : texts) (bytes += text).append(size - text.size(), '\0');
}

namespace {

void write_attribute(hid_t object, const char* name, hid_t type, hid_t space, const void* value) {
  Handle attribute{H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, "make an attribute"};
  need(H5Awrite(attribute, type, value), "write an attribute");
}

Handle open_attribute(hid_t object, const char* name) {
  return {H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "find an attribute"};
}

Handle fixed_string_type(hid_t type) {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) throw Failure{"read a text"};
  return {H5Tcopy(type), H5Tclose, "read a text"};
}

std::size_t count_of(hid_t space) {
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  if (n < 0) throw Failure{"read a dataspace"};
  return static_cast<std::size_t>(n);
}

std::vector<std::string> split(const std::string& bytes, std::size_t size) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const std::string text = bytes.substr(at, size);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

template <class Read>
std::vector<std::string> read_strings(hid_t object, hid_t type, hid_t space, Read read) {
  const Handle memory = fixed_string_type(type);
  const std::size_t size = H5Tget_size(memory), count = count_of(space);
  if (size == 0) throw Failure{"read a text"};
  check_fits_file(object, count, size, "read a text");
  std::string bytes(size * count, '\0');
  need(read(memory, bytes.data()), "read a text");
  return split(bytes, size);
}

std::string only(std::vector<std::string> texts) {
  if (texts.size() != 1) throw Failure{"read a text"};
  return std::move(texts[0]);
}

}  // namespace

void write_attribute(hid_t object, const char* name, const std::string& value) {
  const std::string padded = value.empty() ? std::string(1, '\0') : value;
  write_attribute(object, name, string_type(padded.size()), scalar_space(), padded.data());
}
void write_attribute(hid_t object, const char* name, double value) {
  write_attribute(object, name, H5T_NATIVE_DOUBLE, scalar_space(), &value);
}
void write_attribute(hid_t object, const char* name, long long value) {
  write_attribute(object, name, H5T_NATIVE_LLONG, scalar_space(), &value);
}
void write_attribute(hid_t object, const char* name, const std::vector<std::string>& values) {
  const PaddedTexts texts(values);
  write_attribute(object, name, string_type(texts.size), space({values.size()}), texts.bytes.data());
}

void write_attribute(hid_t object, const char* name, const std::vector<std::uint32_t>& values) {
  write_attribute(object, name, H5T_NATIVE_UINT32, space({values.size()}), values.data());
}

std::vector<std::string> read_texts_attribute(hid_t object, const char* name) {
  const Handle attribute = open_attribute(object, name);
  const Handle type{H5Aget_type(attribute), H5Tclose, "read a text"};
  const Handle space{H5Aget_space(attribute), H5Sclose, "read a text"};
  return read_strings(attribute, type, space, [&](hid_t memory, void* to) { return H5Aread(attribute, memory, to); });
}
std::string read_text_attribute(hid_t object, const char* name) { return only(read_texts_attribute(object, name)); }
std::vector<std::uint32_t> read_wholes_attribute(hid_t object, const char* name) {
  const Handle attribute = open_attribute(object, name);
  const Handle space{H5Aget_space(attribute), H5Sclose, "read numbers"};
  check_fits_file(attribute, count_of(space), sizeof(std::uint32_t), "read numbers");
  std::vector<std::uint32_t> values(count_of(space));
  need(H5Aread(attribute, H5T_NATIVE_UINT32, values.data()), "read numbers");
  return values;
}
double read_number_attribute(hid_t object, const char* name) {
  const Handle attribute = open_attribute(object, name);
  const Handle space{H5Aget_space(attribute), H5Sclose, "read a number"};
  if (count_of(space) != 1) throw Failure{"read a number"};
  double value = 0;
  need(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), "read a number");
  return value;
}

std::vector<std::uint32_t> read_wholes(hid_t dataset) {
  const std::vector<hsize_t> dims = dims_of(dataset);
  if (dims.size() != 1) throw Failure{"read numbers"};
  check_fits_file(dataset, dims[0], sizeof(std::uint32_t), "read numbers");
  std::vector<std::uint32_t> values(dims[0]);
  need(H5Dread(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read numbers");
  return values;
}

std::vector<std::string> read_texts(hid_t dataset) {
  const Handle type{H5Dget_type(dataset), H5Tclose, "read a text"};
  const Handle space{H5Dget_space(dataset), H5Sclose, "read a text"};
  return read_strings(dataset, type, space, [&](hid_t memory, void* to) {
    return H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
}
std::string read_text(hid_t dataset) { return only(read_texts(dataset)); }

void check_fits_file(hid_t object, std::size_t count, std::size_t size, const char* what) {
  const Handle file{H5Iget_file_id(object), H5Fclose, what};
  hsize_t bytes = 0;
  need(H5Fget_filesize(file, &bytes), what);
  if (size > 0 && count > bytes / size) throw Failure{what};
}

std::vector<hsize_t> dims_of(hid_t dataset) {
  const Handle space{H5Dget_space(dataset), H5Sclose, "read a dataspace"};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) throw Failure{"read a dataspace"};
  std::vector<hsize_t> dims(static_cast<std::size_t>(rank));
  need(H5Sget_simple_extent_dims(space, dims.data(), nullptr), "read a dataspace");
  return dims;
}

}  // namespace marey::h5
