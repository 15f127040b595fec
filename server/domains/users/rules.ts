import type { Ctx } from '../../ctx.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { isValidPath, PATH_RULE } from '../../lib/slug.ts'
import { emailProblem } from './email-rules.ts'
import * as emails from './emails/store.ts'
import * as store from './store.ts'

function nameProblem(name: string): string | undefined {
  if (name.trim() === '') return "can't be blank"
  return name.length > 255 ? 'is too long (maximum is 255 characters)' : undefined
}

/** Only addresses of the web; anything else in a link would run or reach elsewhere. */
function websiteProblem(address: string): string | undefined {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase()
  const isFine =
    scheme === undefined || scheme === 'http' || scheme === 'https' || /^[^/]*\.[^/]*:\d/.test(address)
  return isFine && URL.canParse(scheme === undefined ? `http://${address}` : address)
    ? undefined
    : 'is not a valid URL'
}

/** Throws 400 with every field that cannot stand. */
export function checkIdentity(user: {
  username?: string | undefined
  name?: string | undefined
  email?: string | undefined
  website_url?: string | null | undefined
}): void {
  const { username, name, email, website_url } = user
  const problems = {
    username: username !== undefined && !isValidPath(username, 'top') ? PATH_RULE : undefined,
    email: email === undefined ? undefined : emailProblem(email),
    name: name === undefined ? undefined : nameProblem(name),
    website_url: website_url ? websiteProblem(website_url) : undefined,
  }
  const found = Object.entries(problems).filter((one): one is [string, string] => one[1] !== undefined)
  if (found.length > 0) throw invalid(Object.fromEntries(found))
}

/** Throws 409 when the address or user name belongs to somebody else. A secondary address is taken as well. */
export function checkFree(
  ctx: Ctx,
  user: { username?: string | undefined; email?: string | undefined },
  exceptId?: number,
): void {
  const owner = user.email === undefined ? undefined : emails.ownerOf(ctx.db, user.email)
  if (owner !== undefined && owner !== exceptId) throw fail('conflict', 'Email has already been taken')
  const other = user.username === undefined ? undefined : store.byUsername(ctx.db, user.username)
  if (other !== undefined && other.id !== exceptId) throw fail('conflict', 'Username has already been taken')
}

/** Throws 400 for public and commit addresses that are not confirmed addresses of the user; empty ones are fine. */
export function checkOwnAddresses(
  ctx: Ctx,
  userId: number,
  given: { public_email?: string | null | undefined; commit_email?: string | null | undefined },
): void {
  const problems = Object.entries(given)
    .filter(([, email]) => email && !emails.isVerified(ctx.db, userId, email))
    .map(([field]) => [field, 'must be an email you have verified'])
  if (problems.length > 0) throw invalid(Object.fromEntries(problems) as Record<string, string>)
}
