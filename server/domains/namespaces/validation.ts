import { isValidPath, PATH_RULE } from '../../lib/text/slug.ts'

const NAME =
  /^[\p{L}\p{N}\p{Extended_Pictographic}_][\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Emoji_Component}\p{Pd}_.+ ()]*$/u

/** Returns the problem with a path, in the contract's words. Undefined for a valid one. */
export function pathProblem(path: string, level: 'top' | 'below'): string | undefined {
  if (path === '') return "can't be blank"
  if (path.length > 255) return 'is too long (maximum is 255 characters)'
  if (isValidPath(path, level)) return undefined
  // Checks whether the path is only invalid as a reserved word: with one more letter it would be valid.
  return isValidPath(`${path}x`, level) && isValidPath(`x${path}`, level)
    ? `${path} is a reserved name`
    : PATH_RULE
}

/** Returns the problem with the name of a group or project. `rule` is the message about its characters. */
export function nameProblem(name: string, rule: string): string | undefined {
  if (name.trim() === '') return "can't be blank"
  if (name.length > 255) return 'is too long (maximum is 255 characters)'
  return NAME.test(name) ? undefined : rule
}
