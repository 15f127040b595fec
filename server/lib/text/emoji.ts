/** Names that are stored under another one: votes are counted by theirs. */
const CANONICAL: Readonly<Record<string, string>> = {
  '+1': 'thumbsup',
  '-1': 'thumbsdown',
  thumbup: 'thumbsup',
  thumbdown: 'thumbsdown',
}

/** Names that clients of the API know beside those of the list; windows of other forges send them. */
const FURTHER = new Set(
  `call_me clown cowboy fingers_crossed frowning2 hammer_pick hand_splayed head_bandage hugging money_mouth nerd poo
  rolling_eyes slight_frown slight_smile snowman2 spy thinking_face thumbdown thumbup umbrella2 upside_down vulcan
  zipper_mouth`.split(/\s+/),
)

/** The name under which an emoji is stored, given one of its names without colons; undefined for no emoji. */
export async function emojiNamed(name: string): Promise<string | undefined> {
  // Loaded when first needed: two thousand names that an instance without subscribers does not need.
  const { default: characters } = await import('markdown-it-emoji/lib/data/full.mjs')
  if (!Object.hasOwn(characters, name) && !FURTHER.has(name)) return undefined
  return CANONICAL[name] ?? name
}
