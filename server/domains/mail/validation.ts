/** Whether a text is a single mail address without a name, safe to use in headers. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text)
}

/** Returns the valid addresses in a list separated by spaces, commas or line breaks, without duplicates. */
export function addressesIn(list: string): string[] {
  return [...new Set(list.split(/[\s,;]+/).filter(isAddress))]
}
