import type { Ctx } from '../../../ctx.ts'
import { firstUnsigned, type PushedCommit } from '../../../git/transport/pushed-commits.ts'
import type { Newcomers } from '../../../git/transport/pushed.ts'
import { SERVICE_NAME } from '../../../lib/aliases.ts'
import { finder, forbids, type PushRule } from '../../push_rules/index.ts'
import { isOwnCommitEmail, userIdOfEmail } from '../../users/index.ts'
import type { CheckInput } from './check.ts'
import { used } from './push-rules-patterns.ts'

/** What one rule has against a commit; a promise where it takes a while. */
type CommitRule = (commit: PushedCommit) => string | undefined | Promise<string | undefined>

const SIGNED_OFF = /Signed-off-by:.+<.+@.+>/

/**
 * What a rule has against a commit, each part in its turn (spec administration 11.2); undefined where it asks nothing of
 * commits.
 */
export async function commitRules(
  input: CheckInput,
  rule: PushRule,
  from: Newcomers,
): Promise<CommitRule | undefined> {
  const rules = [
    messageRule(rule),
    forbiddenRule(rule),
    addressRule(rule),
    committerRule(input.ctx, rule),
    nameRule(input.ctx, rule),
    signOffRule(input, rule),
    await signatureRule(input, rule, from),
    memberRule(input.ctx, rule),
  ].filter((one) => one !== undefined)
  if (rules.length === 0) return undefined
  return async (commit) => {
    for (const one of rules) {
      const problem = await one(commit)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

function messageRule(rule: PushRule): CommitRule | undefined {
  const follows = used(rule, 'commit_message_regex', finder)
  const sentence = `Commit message does not follow the pattern '${rule.commit_message_regex}'`
  return follows && (({ message }) => (follows(message) ? undefined : sentence))
}

function forbiddenRule(rule: PushRule): CommitRule | undefined {
  const isForbidden = used(rule, 'commit_message_negative_regex', forbids)
  const sentence = `Commit message contains the forbidden pattern '${rule.commit_message_negative_regex}'`
  return isForbidden && (async ({ message }) => ((await isForbidden(message)) ? sentence : undefined))
}

function addressRule(rule: PushRule): CommitRule | undefined {
  const found = used(rule, 'author_email_regex', finder)
  if (!found) return undefined
  const follows = remembered(found)
  return ({ author_email: author, committer_email: committer }) => {
    const ending = `does not follow the pattern '${rule.author_email_regex}'`
    if (!follows(committer)) return `Committer's email '${committer}' ${ending}`
    return follows(author) ? undefined : `Author's email '${author}' ${ending}`
  }
}

/** Keys have no user whose addresses could be compared. */
function pusherOf(ctx: Ctx): { id: number; name: string } | undefined {
  return ctx.actor.kind === 'user' ? ctx.actor : undefined
}

function committerRule(ctx: Ctx, rule: PushRule): CommitRule | undefined {
  const pusher = pusherOf(ctx)
  if (!rule.commit_committer_check || !pusher) return undefined
  const problemOf = remembered((email: string) => {
    if (isOwnCommitEmail(ctx, pusher.id, email)) return undefined
    return userIdOfEmail(ctx, email) === pusher.id
      ? `Committer email '${email}' is not verified.`
      : `You cannot push commits for '${email}'. You can only push commits if the committer email is one of your own verified emails.`
  })
  return ({ committer_email }) => problemOf(committer_email)
}

function nameRule(ctx: Ctx, rule: PushRule): CommitRule | undefined {
  const pusher = pusherOf(ctx)
  if (!rule.commit_committer_name_check || !pusher) return undefined
  const sentence = `Your git username is inconsistent with ${SERVICE_NAME} account name`
  return ({ committer_name }) => (committer_name === pusher.name ? undefined : sentence)
}

function signOffRule({ source }: CheckInput, rule: PushRule): CommitRule | undefined {
  // What is written through the API or in the window is written by whoever is signed in.
  if (!rule.reject_non_dco_commits || source !== 'push') return undefined
  return ({ message }) => (SIGNED_OFF.test(message) ? undefined : 'Commit message must contain a DCO signoff')
}

async function signatureRule(
  { repo, source }: CheckInput,
  rule: PushRule,
  from: Newcomers,
): Promise<CommitRule | undefined> {
  if (!rule.reject_unsigned_commits || source !== 'push') return undefined
  const unsigned = await firstUnsigned(repo, from)
  return ({ id }) => (id === unsigned ? 'Commit must be signed with a GPG key' : undefined)
}

function memberRule(ctx: Ctx, rule: PushRule): CommitRule | undefined {
  if (!rule.member_check) return undefined
  const isUser = remembered((email: string) => userIdOfEmail(ctx, email) !== undefined)
  return ({ author_email: author, committer_email: committer }) => {
    if (!isUser(author)) return `Author '${author}' is not a member of team`
    const isSame = author.toLowerCase() === committer.toLowerCase()
    return isSame || isUser(committer) ? undefined : `Committer '${committer}' is not a member of team`
  }
}

/** Few people write many commits. */
const MAX_REMEMBERED = 1000

function remembered<T>(ask: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    if (known.has(text)) return known.get(text)!
    const answer = ask(text)
    if (known.size < MAX_REMEMBERED) known.set(text, answer)
    return answer
  }
}
