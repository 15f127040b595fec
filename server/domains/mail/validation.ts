/** Whether a text is one plain mail address, without a name and without anything that a header could be made of. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text)
}

/** The addresses in a list that people wrote, separated by spaces, commas or line ends; each once. */
export function addressesIn(list: string): string[] {
  return [...new Set(list.split(/[\s,;]+/).filter(isAddress))]
}
