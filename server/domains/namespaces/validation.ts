import { isValidPath, PATH_RULE } from '../../lib/text/slug.ts'

const NAME =
  /^[\p{L}\p{N}\p{Extended_Pictographic}_][\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Emoji_Component}\p{Pd}_.+ ()]*$/u

/** What keeps a path from being one, in the contract's words; undefined when it can stand. */
export function pathProblem(path: string, place: 'top' | 'below'): string | undefined {
  if (path === '') return "can't be blank"
  if (path.length > 255) return 'is too long (maximum is 255 characters)'
  if (isValidPath(path, place)) return undefined
  // A reserved word is well formed; one with a letter more would be fine.
  return isValidPath(`${path}x`, place) && isValidPath(`x${path}`, place)
    ? `${path} is a reserved name`
    : PATH_RULE
}

/** The same for the name of a group or project; `rule` is its sentence. */
export function nameProblem(name: string, rule: string): string | undefined {
  if (name.trim() === '') return "can't be blank"
  if (name.length > 255) return 'is too long (maximum is 255 characters)'
  return NAME.test(name) ? undefined : rule
}
