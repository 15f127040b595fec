/** Aliases and their stored names: awards are counted by stored name. */
const CANONICAL: Readonly<Record<string, string>> = {
  '+1': 'thumbsup',
  '-1': 'thumbsdown',
  thumbup: 'thumbsup',
  thumbdown: 'thumbsdown',
}

/** Names that clients send in addition to those of the library. */
const MORE_NAMES = new Set(
  `call_me clown cowboy fingers_crossed frowning2 hammer_pick hand_splayed head_bandage hugging money_mouth nerd poo
  rolling_eyes slight_frown slight_smile snowman2 spy thinking_face thumbdown thumbup umbrella2 upside_down vulcan
  zipper_mouth`.split(/\s+/),
)

/** The name under which an emoji is stored, given one of its names without colons; undefined for an unknown name. */
export async function emojiByName(name: string): Promise<string | undefined> {
  // Loaded on first use, because it has two thousand names.
  const { default: characters } = await import('markdown-it-emoji/lib/data/full.mjs')
  if (!Object.hasOwn(characters, name) && !MORE_NAMES.has(name)) return undefined
  return CANONICAL[name] ?? name
}
