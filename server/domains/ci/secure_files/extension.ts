/** The end of a file's name behind its last dot; undefined without one. Capitals make another one (spec ci 6). */
export function extensionOf(name: string): string | undefined {
  return /[^/]\.([^./]+)$/.exec(name)?.[1]
}
