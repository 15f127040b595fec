const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const UNITS: readonly [RegExp, number][] = [
  [/^(?:s|secs?|seconds?)$/, 1],
  [/^(?:m|mins?|minutes?)$/, MINUTE],
  [/^(?:h|hrs?|hours?)$/, HOUR],
  [/^(?:d|days?)$/, DAY],
  [/^(?:w|wks?|weeks?)$/, 7 * DAY],
  [/^(?:mo|mos|mths?|months?)$/, 30 * DAY],
  [/^(?:y|yrs?|years?)$/, 31_557_600],
]

/** The seconds of `3 mins 4 sec`, `2h20min`, `47 yrs 6 mos and 4d`, `1:30:00` or a number; null for other texts. */
export function secondsOf(text: string): number | null {
  const words = text.trim().toLowerCase()
  if (words === '' || words.length > 200) return null
  const clock = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{2})$/.exec(words)
  if (clock) return Number(clock[1] ?? 0) * HOUR + Number(clock[2]) * MINUTE + Number(clock[3])
  if (/^\d+(?:\.\d+)?$/.test(words)) return Number(words)
  const parts = words.replaceAll(/\band\b|,/g, ' ').match(/\d+(?:\.\d+)?\s*[a-z]+|\S+/g) ?? []
  let seconds = 0
  for (const part of parts) {
    const [, count, name] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(part) ?? []
    const unit = UNITS.find(([pattern]) => name !== undefined && pattern.test(name))
    if (!unit) return null
    seconds += Number(count) * unit[1]
  }
  return parts.length > 0 ? Math.round(seconds) : null
}
