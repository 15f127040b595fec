const UNITS = ['Bytes', 'KB', 'MB', 'GB', 'TB']

/** A number of bytes as sentences name it: `2.5 MB`. */
export function humanSize(bytes: number): string {
  const step = Math.min(bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  const number = Number((bytes / 1024 ** step).toPrecision(3))
  return `${number} ${UNITS[step]}`
}
