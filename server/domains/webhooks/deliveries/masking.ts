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

/** Headers as the log shows them; those that are secrets as a whole too, however short they are. */
export function shownHeaders(
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[],
  mask: (text: string) => string,
): Record<string, string> {
  const isSecret = (name: string, value: string) => SECRET_HEADERS.test(name) || secrets.includes(value)
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    isSecret(name, value) ? MASK : mask(value),
  ])
  return Object.fromEntries(shown) as Record<string, string>
}
