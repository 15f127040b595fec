/** Returns true for a single email address without a name, which is safe in headers. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text)
}

/**
 * Returns the valid addresses in a text that separates them by spaces, commas, semicolons or line breaks, without
 * duplicates.
 */
export function addressesIn(list: string): string[] {
  return [...new Set(list.split(/[\s,;]+/).filter(isAddress))]
}
