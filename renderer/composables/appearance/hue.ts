const HUES = [215, 155, 35, 290, 250, 95, 190, 320, 20, 255, 75, 130]

/** A stable hue for a name, so that a project or user has the same color everywhere. */
export const hueOf = (name: string): number => {
  let sum = 7
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973
  return HUES[sum % HUES.length] ?? 215
}

/** The initial letter of a name. */
export const initialOf = (name: string): string => (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?').toUpperCase()
