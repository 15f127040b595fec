const MAX_ID = 256
const MAX_NAME = 255

/**
 * What is wrong with users separated by commas (spec ci 7.2): empty text is nobody. `title` is what the sentence calls
 * them.
 */
export function userIdsProblem(given: unknown, title: string): string[] {
  if (typeof given === 'string' && areUserIds(given)) return []
  return [`${title} must be a string of unique comma separated values each ${MAX_ID} characters or less`]
}

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/

function areUserIds(given: string): boolean {
  if (given === '') return true
  if (CONTROL.test(given) || !given.isWellFormed()) return false
  const ids = given.split(',')
  const isEach = ids.every((id) => id !== '' && id.trim() === id && id.length <= MAX_ID)
  return isEach && new Set(ids).size === ids.length
}

/** What is wrong with the name of a list of users, as sentences. */
export function listNameProblems(name: string): string[] {
  if (name.trim() === '') return ["Name can't be blank"]
  return name.length > MAX_NAME ? [`Name is too long (maximum is ${MAX_NAME} characters)`] : []
}
