// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/library_image.h"

#include <cstring>
#include <link.h>
#include <optional>
#include <set>
#include <vector>

/// The ELF header of the library that contains this code, as the linker names it.
extern "C" __attribute__((visibility("hidden"))) const ElfW(Ehdr) __ehdr_start; // NOLINT

namespace graphloom {

namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

tl::unexpected<Error> defect(const std::string &what)
{
    return fail(Error::Kind::Fault, "is not a usable shared library: " + what);
}

class Image {
public:
    explicit Image(std::string_view bytes) : m_bytes(bytes) {}

    bool holds(std::uint64_t offset, std::uint64_t size) const
    {
        return offset <= m_bytes.size() && size <= m_bytes.size() - offset;
    }
    /// Returns `count` consecutive structures, or none if the file ends before.
    template <class T>
    std::optional<std::vector<T>> read(std::uint64_t offset, std::uint64_t count) const
    {
        if (count > m_bytes.size() / sizeof(T) || !holds(offset, count * sizeof(T)))
            return std::nullopt;
        std::vector<T> items(count);
        if (count > 0)
            std::memcpy(items.data(), m_bytes.data() + offset, count * sizeof(T));
        return items;
    }
    /// Returns the text at a place in a string table; empty if it does not end in the table.
    std::string_view text(const Section &strings, std::uint64_t at) const
    {
        // The table may come after the section that names it and be unchecked so far.
        if (!holds(strings.sh_offset, strings.sh_size))
            return {};
        const std::string_view table = m_bytes.substr(strings.sh_offset, strings.sh_size);
        const auto end = at < table.size() ? table.find('\0', at) : table.npos;
        return end == table.npos ? std::string_view() : table.substr(at, end - at);
    }

private:
    std::string_view m_bytes;
};

} // namespace

Result<void> checkLibraryImage(std::string_view bytes, std::span<const std::string> functions)
{
    const Image image(bytes);
    const auto headers = image.read<Header>(0, 1);
    if (!headers || std::memcmp(headers->front().e_ident, ELFMAG, SELFMAG) != 0)
        return defect("it has no ELF header");
    const Header &header = headers->front();
    for (const int field : {EI_CLASS, EI_DATA})
        if (header.e_ident[field] != __ehdr_start.e_ident[field])
            return defect("it is for another processor");
    if (header.e_machine != __ehdr_start.e_machine)
        return defect("it is for another processor");
    if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Segment) ||
        header.e_shentsize != sizeof(Section))
        return defect("it is another kind of file");
    const auto segments = image.read<Segment>(header.e_phoff, header.e_phnum);
    const auto sections = image.read<Section>(header.e_shoff, header.e_shnum);
    if (!segments || !sections)
        return defect("it is truncated");
    for (const Segment &segment : *segments)
        if (!image.holds(segment.p_offset, segment.p_filesz))
            return defect("it is truncated");
    std::set<std::string_view> missing(functions.begin(), functions.end());
    for (const Section &section : *sections) {
        if (section.sh_type != SHT_NOBITS && !image.holds(section.sh_offset, section.sh_size))
            return defect("it is truncated");
        if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections->size())
            continue;
        const auto symbols =
            image.read<Symbol>(section.sh_offset, section.sh_size / sizeof(Symbol));
        for (const Symbol &symbol : symbols.value_or(std::vector<Symbol>()))
            if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
                missing.erase(image.text((*sections)[section.sh_link], symbol.st_name));
    }
    if (!missing.empty())
        return defect("it lacks the function " + std::string(*missing.begin()));
    return {};
}

Result<void> checkObjectImage(std::string_view bytes)
{
    const auto unusable = [](const std::string &what) {
        return fail(Error::Kind::Fault, "is not a usable object file: " + what);
    };
    const Image image(bytes);
    const auto headers = image.read<Elf64_Ehdr>(0, 1);
    if (!headers || std::memcmp(headers->front().e_ident, ELFMAG, SELFMAG) != 0)
        return unusable("it has no ELF header");
    const Elf64_Ehdr &header = headers->front();
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_type != ET_REL || header.e_shentsize != sizeof(Elf64_Shdr))
        return unusable("it is another kind of file");
    const auto sections = image.read<Elf64_Shdr>(header.e_shoff, header.e_shnum);
    if (!sections)
        return unusable("it is truncated");
    for (const Elf64_Shdr &section : *sections)
        if (section.sh_type != SHT_NOBITS && !image.holds(section.sh_offset, section.sh_size))
            return unusable("it is truncated");
    return {};
}

} // namespace graphloom
