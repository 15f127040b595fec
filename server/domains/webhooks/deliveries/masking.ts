/** What stands in the log in place of a secret. */
export const MASK = '[MASKED]'

/** Shorter ones would be found everywhere, and taking them out would tell them. */
const MIN_LENGTH = 4

/** A function that takes secrets out of a text; also as they stand in addresses and JSON. */
export function maskFor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret.length >= MIN_LENGTH)
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
  const longestFirst = [...new Set(forms)].toSorted((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((masked, form) => masked.replaceAll(form, MASK), text)
}

/** The same for the values of an object. */
export function maskValues(
  values: Readonly<Record<string, string>>,
  mask: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, mask(value)]))
}

/** Headers that carry nothing but a secret. */
const SECRET_HEADERS = /^authorization$|token$|(api|auth)-?key|secret/i

/** Headers as the log shows them. */
export function shownHeaders(
  headers: Readonly<Record<string, string>>,
  mask: (text: string) => string,
): Record<string, string> {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    SECRET_HEADERS.test(name) ? MASK : mask(value),
  ])
  return Object.fromEntries(shown) as Record<string, string>
}
