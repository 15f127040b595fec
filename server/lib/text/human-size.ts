const UNITS = ['Bytes', 'KB', 'MB', 'GB', 'TB']

/** A number of bytes as text, with three digits: `1 Byte`, `1.21 KB`, `50 MB`. */
export function humanSize(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 Byte' : `${bytes} Bytes`
  const unit = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  return `${Number((bytes / 1024 ** unit).toPrecision(3))} ${UNITS[unit]}`
}
