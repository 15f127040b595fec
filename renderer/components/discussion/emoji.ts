/** Emoji for quick awards, by their names in the API. */
export const EMOJI: Readonly<Record<string, string>> = {
  thumbsup: '👍',
  thumbsdown: '👎',
  heart: '❤️',
  tada: '🎉',
  rocket: '🚀',
  eyes: '👀',
  smile: '😄',
  laughing: '😆',
  thinking: '🤔',
  confused: '😕',
  disappointed: '😞',
  clap: '👏',
  raised_hands: '🙌',
  pray: '🙏',
  ok_hand: '👌',
  muscle: '💪',
  wave: '👋',
  fire: '🔥',
  star: '⭐',
  bulb: '💡',
  bug: '🐛',
  warning: '⚠️',
  white_check_mark: '✅',
  x: '❌',
}

/** The character for a name, or the name between colons. */
export const emojiOf = (name: string): string => EMOJI[name] ?? `:${name}:`
