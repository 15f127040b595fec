/** Whose password it is, as far as others know them. */
export interface PasswordOwner {
  readonly username: string
  readonly name: string
  readonly email: string
}

/** Parts of a name that are shorter stand in too many good passwords. */
const SHORTEST_PART = 4
/** So few digits and signs around a common word do not make it another one. */
const MOST_AROUND = 4
/** What everybody would try first here. */
const PRODUCT = 'deskforge'

/**
 * True for a password that people guess: one of the 49,000 most used, such a word with a few digits or signs around it, and
 * one that holds the name, user name or e-mail address of its owner. The list is loaded when it is first asked for; an
 * instance where nobody sets a password never has it in memory.
 */
export async function isWeakPassword(password: string, owner: PasswordOwner): Promise<boolean> {
  const text = password.normalize('NFKC').toLowerCase()
  if (partsOf(owner).some((part) => text.includes(part))) return true
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  // Searched as it is: passwords are set too rarely for an index to be worth its memory.
  const common = dictionary['passwords-common'] as readonly string[]
  const word = text.replace(/^\P{L}+|\P{L}+$/gu, '')
  const isLittleAround = word.length >= SHORTEST_PART && text.length - word.length <= MOST_AROUND
  return common.includes(text) || (isLittleAround && common.includes(word))
}

function partsOf({ username, name, email }: PasswordOwner): string[] {
  const [local = ''] = email.split('@', 1)
  const parts = [username, name, name.replaceAll(/\s+/g, ''), ...name.split(/\s+/), local, email, PRODUCT]
  return parts
    .map((part) => part.normalize('NFKC').trim().toLowerCase())
    .filter((part) => part.length >= SHORTEST_PART)
}
