/** Names that are stored under another one: votes are counted by theirs. */
const CANONICAL: Readonly<Record<string, string>> = { '+1': 'thumbsup', '-1': 'thumbsdown' }

/** The name under which an emoji is stored, given one of its names without colons; undefined for no emoji. */
export async function emojiNamed(name: string): Promise<string | undefined> {
  // Loaded when first needed: two thousand names that an instance without reactions does not need.
  const { default: characters } = await import('markdown-it-emoji/lib/data/full.mjs')
  if (!Object.hasOwn(characters, name)) return undefined
  return CANONICAL[name] ?? name
}
