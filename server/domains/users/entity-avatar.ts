const HUES = [215, 155, 35, 290, 250, 95, 190, 320, 20, 255, 75, 130]

/** Returns the hue for a name. The window uses the same one. */
function hueOf(name: string): number {
  let sum = 7
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973
  return HUES[sum % HUES.length]!
}

/**
 * Returns the path of the generated picture of a user: a letter on a colour. The path contains everything in the
 * picture. So the picture reveals nothing, needs no database and can be cached forever.
 */
export function drawnAvatarPath(name: string): string {
  const letter = (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?').toUpperCase().slice(0, 2)
  return `/-/avatars/${hueOf(name)}/${encodeURIComponent(letter)}.svg`
}

/** The pattern of such paths. */
export const DRAWN_AVATAR = /^\/-\/avatars\/(\d{1,3})\/((?:[A-Za-z0-9]|%[0-9A-F]{2}){1,24})\.svg$/i

/** Returns the picture for a path. Undefined if the character is not a letter. */
export function drawnAvatar(hue: string, letter: string): string | undefined {
  const text = decoded(letter)
  if (Number(hue) >= 360 || !/^(?:[\p{L}\p{N}]{1,2}|\?)$/u.test(text)) return undefined
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80" width="80" height="80">
<rect width="80" height="80" fill="hsl(${Number(hue)} 45% 86%)"/>
<text x="40" y="40" dy=".36em" text-anchor="middle" font-family="sans-serif" font-weight="600" font-size="38" \
fill="hsl(${Number(hue)} 45% 28%)">${text}</text>
</svg>
`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
