/** An address apart from the user name and password that it carries, and these as the header that they become. */
export interface Address {
  readonly url: string
  readonly authorization: string | undefined
  readonly password: string | undefined
}

/** Takes an address apart. Throws `TypeError` (`ERR_INVALID_URL`) for what is none. */
export function addressIn(text: string): Address {
  const url = new URL(text)
  const [name, password] = [decode(url.username), decode(url.password)]
  url.username = ''
  url.password = ''
  url.hash = ''
  const hasCredentials = name !== '' || password !== ''
  const pair = Buffer.from(`${name}:${password}`).toString('base64')
  return {
    url: url.toString(),
    authorization: hasCredentials ? `Basic ${pair}` : undefined,
    password: password === '' ? undefined : password,
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
