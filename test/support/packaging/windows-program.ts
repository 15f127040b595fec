export interface ProgramOptions {
  readonly machine: 'x86' | 'x64'
  /** The names that a library exports; all lead to the same empty function. */
  readonly exports?: readonly string[]
  /** Bytes for the only section. */
  readonly content?: Buffer
}

const FILE_ALIGNMENT = 0x200
const SECTION_ADDRESS = 0x1000
const DIRECTORY_SIZE = 40

const aligned = (size: number, step: number) => Math.ceil(size / step) * step

/** The export directory of a library, with its tables and names, for loading at SECTION_ADDRESS. */
function exportTable(names: readonly string[]): Buffer {
  const sorted = [...names].sort()
  const functionsAt = DIRECTORY_SIZE
  const namesAt = functionsAt + 4 * sorted.length
  const ordinalsAt = namesAt + 4 * sorted.length
  const textAt = ordinalsAt + 2 * sorted.length
  const text = Buffer.from(`plugin.dll\0${sorted.join('\0')}\0`, 'latin1')
  const table = Buffer.concat([Buffer.alloc(textAt), text])
  table.writeUInt32LE(SECTION_ADDRESS + textAt, 12)
  for (const [offset, value] of [
    [16, 1],
    [20, sorted.length],
    [24, sorted.length],
    [28, SECTION_ADDRESS + functionsAt],
    [32, SECTION_ADDRESS + namesAt],
    [36, SECTION_ADDRESS + ordinalsAt],
  ] as const)
    table.writeUInt32LE(value, offset)
  let at = textAt + 'plugin.dll\0'.length
  for (const [index, name] of sorted.entries()) {
    table.writeUInt32LE(SECTION_ADDRESS + table.length, functionsAt + 4 * index)
    table.writeUInt32LE(SECTION_ADDRESS + at, namesAt + 4 * index)
    table.writeUInt16LE(index, ordinalsAt + 2 * index)
    at += name.length + 1
  }
  // One instruction: return.
  return Buffer.concat([table, Buffer.from([0xc3])])
}

/** A Windows program or library (PE) that does nothing: enough for tools that read or edit such files. */
export function windowsProgram({ machine, exports, content = Buffer.alloc(0) }: ProgramOptions): Buffer {
  const isWide = machine === 'x64'
  const table = exports ? exportTable(exports) : Buffer.alloc(0)
  const section = Buffer.concat([table, content])
  const optionalSize = isWide ? 0xf0 : 0xe0
  const header = Buffer.alloc(FILE_ALIGNMENT)
  header.write('MZ', 0, 'latin1')
  header.writeUInt32LE(0x40, 0x3c)
  header.write('PE\0\0', 0x40, 'latin1')
  header.writeUInt16LE(isWide ? 0x8664 : 0x14c, 0x44)
  header.writeUInt16LE(1, 0x46)
  header.writeUInt16LE(optionalSize, 0x54)
  header.writeUInt16LE(exports ? 0x2022 : 0x0022, 0x56)
  const optional = 0x58
  const sectionSize = aligned(Math.max(section.length, 1), FILE_ALIGNMENT)
  header.writeUInt16LE(isWide ? 0x20b : 0x10b, optional)
  header.writeUInt32LE(SECTION_ADDRESS, optional + 32)
  header.writeUInt32LE(SECTION_ADDRESS, optional + 32)
  header.writeUInt32LE(FILE_ALIGNMENT, optional + 36)
  header.writeUInt16LE(6, optional + 40)
  header.writeUInt16LE(6, optional + 48)
  header.writeUInt32LE(SECTION_ADDRESS + aligned(sectionSize, SECTION_ADDRESS), optional + 56)
  header.writeUInt32LE(FILE_ALIGNMENT, optional + 60)
  header.writeUInt16LE(2, optional + 68)
  header.writeUInt32LE(16, optional + (isWide ? 108 : 92))
  if (exports) {
    const directories = optional + (isWide ? 112 : 96)
    header.writeUInt32LE(SECTION_ADDRESS, directories)
    header.writeUInt32LE(table.length, directories + 4)
  }
  const sectionHeader = optional + optionalSize
  header.write('.rdata', sectionHeader, 'latin1')
  header.writeUInt32LE(Math.max(section.length, 1), sectionHeader + 8)
  header.writeUInt32LE(SECTION_ADDRESS, sectionHeader + 12)
  header.writeUInt32LE(sectionSize, sectionHeader + 16)
  header.writeUInt32LE(FILE_ALIGNMENT, sectionHeader + 20)
  header.writeUInt32LE(0x40000040, sectionHeader + 36)
  return Buffer.concat([header, section, Buffer.alloc(sectionSize - section.length)])
}
