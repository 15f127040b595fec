import {
  newCommitsInBatches,
  firstUnsigned,
  type PushedCommit,
} from '../../../git/transport/pushed-commits.ts'
import { largeBlobs, type PushedObjects } from '../../../git/transport/pushed.ts'
import { TimeSlices } from '../../../lib/time-slices.ts'
import { finder, forbids, secretPattern } from '../push_rules/validation.ts'
import { type PushRule, type PatternName } from '../push_rules/types.ts'
import { ruleOfProject } from '../push_rules/store.ts'
import { branchOf, tagOf, type CheckInput } from './check.ts'
import type { Ctx } from '../../../ctx.ts'
import { SERVICE_NAME } from '../../../lib/aliases.ts'
import { isOwnCommitEmail, userIdOfEmail } from '../../users/index.ts'

/** The regex engine refuses a stored pattern. The message is for the user. */
export class InvalidPattern extends Error {}

/**
 * Creates the test for a pattern of a rule; `create` returns undefined if the rule has no pattern. Throws BadPattern for a
 * pattern that an earlier release has stored and the engine now refuses.
 */
export function compilePattern<T>(
  rule: PushRule,
  name: PatternName,
  create: (name: PatternName, source: string | null) => T,
): T {
  const source = rule[name]
  try {
    return create(name, source)
  } catch (error) {
    throw new InvalidPattern(`Regular expression '${source}' is invalid: ${(error as Error).message}`)
  }
}

/** A check of one commit. Returns the reason for a refusal, or a promise if the check takes time. */
type CommitRule = (commit: PushedCommit) => string | undefined | Promise<string | undefined>

const SIGNED_OFF = /Signed-off-by:.+<.+@.+>/

/**
 * Returns one check of a commit that runs the checks of a rule in order (spec administration 11.2). Undefined if the rule
 * does not check commits.
 */
export async function commitRules(
  input: CheckInput,
  rule: PushRule,
  pushed: PushedObjects,
): Promise<CommitRule | undefined> {
  const rules = [
    messageRule(rule),
    forbiddenRule(rule),
    addressRule(rule),
    committerRule(input.ctx, rule),
    nameRule(input.ctx, rule),
    signOffRule(input, rule),
    await signatureRule(input, rule, pushed),
    memberRule(input.ctx, rule),
  ].filter((commitRule) => commitRule !== undefined)
  if (rules.length === 0) return undefined
  return async (commit) => {
    for (const commitRule of rules) {
      const problem = await commitRule(commit)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

function messageRule(rule: PushRule): CommitRule | undefined {
  const follows = compilePattern(rule, 'commit_message_regex', finder)
  const sentence = `Commit message does not follow the pattern '${rule.commit_message_regex}'`
  return follows && (({ message }) => (follows(message) ? undefined : sentence))
}

function forbiddenRule(rule: PushRule): CommitRule | undefined {
  const isForbidden = compilePattern(rule, 'commit_message_negative_regex', forbids)
  const sentence = `Commit message contains the forbidden pattern '${rule.commit_message_negative_regex}'`
  return isForbidden && (async ({ message }) => ((await isForbidden(message)) ? sentence : undefined))
}

function addressRule(rule: PushRule): CommitRule | undefined {
  const matches = compilePattern(rule, 'author_email_regex', finder)
  if (!matches) return undefined
  const follows = memoized(matches)
  return ({ author_email: author, committer_email: committer }) => {
    const ending = `does not follow the pattern '${rule.author_email_regex}'`
    if (!follows(committer)) return `Committer's email '${committer}' ${ending}`
    return follows(author) ? undefined : `Author's email '${author}' ${ending}`
  }
}

/** The user who pushes. Undefined for a deploy key, which has no email address to compare. */
function pusherOf(ctx: Ctx): { id: number; name: string } | undefined {
  return ctx.actor.kind === 'user' ? ctx.actor : undefined
}

function committerRule(ctx: Ctx, rule: PushRule): CommitRule | undefined {
  const pusher = pusherOf(ctx)
  if (!rule.commit_committer_check || !pusher) return undefined
  const problemOf = memoized((email: string) => {
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
  // Commits through the API or the window have the signed-in user as their author.
  if (!rule.reject_non_dco_commits || source !== 'push') return undefined
  return ({ message }) => (SIGNED_OFF.test(message) ? undefined : 'Commit message must contain a DCO signoff')
}

async function signatureRule(
  { repo, source }: CheckInput,
  rule: PushRule,
  pushed: PushedObjects,
): Promise<CommitRule | undefined> {
  if (!rule.reject_unsigned_commits || source !== 'push') return undefined
  const unsigned = await firstUnsigned(repo, pushed)
  return ({ id }) => (id === unsigned ? 'Commit must be signed with a GPG key' : undefined)
}

function memberRule(ctx: Ctx, rule: PushRule): CommitRule | undefined {
  if (!rule.member_check) return undefined
  const isUser = memoized((email: string) => userIdOfEmail(ctx, email) !== undefined)
  return ({ author_email: author, committer_email: committer }) => {
    if (!isUser(author)) return `Author '${author}' is not a member of team`
    const isSame = author.toLowerCase() === committer.toLowerCase()
    return isSame || isUser(committer) ? undefined : `Committer '${committer}' is not a member of team`
  }
}

/** The maximum number of cached results. Many commits have few different authors. */
const MAX_CACHED = 1000

/** Caches the results of a function. */
function memoized<T>(compute: (text: string) => T): (text: string) => T {
  const cache = new Map<string, T>()
  return (text) => {
    if (cache.has(text)) return cache.get(text)!
    const result = compute(text)
    if (cache.size < MAX_CACHED) cache.set(text, result)
    return result
  }
}

const MEGABYTE = 1024 * 1024

/**
 * Checks the push rule of the project (spec administration 11.2): first the ref names, then the new commits, the size of
 * their files, and their paths. Changes from a mirror are not checked, because their authors work in another repository.
 */
export async function checkPushRules(input: CheckInput): Promise<string | undefined> {
  const { ctx, project, source } = input
  const rule = ruleOfProject(ctx.db, project.id)
  if (!rule || source === 'mirror' || ctx.actor.kind === 'system') return undefined
  try {
    return nameProblem(input, rule) ?? (await contentProblem(input, rule))
  } catch (error) {
    if (error instanceof InvalidPattern) return error.message
    throw error
  }
}

function nameProblem({ project, source, changes }: CheckInput, rule: PushRule): string | undefined {
  const follows = compilePattern(rule, 'branch_name_regex', finder)
  for (const change of changes) {
    const isRemoved = change.new === null
    if (isRemoved && source === 'push' && rule.deny_delete_tag && tagOf(change.ref) !== undefined) {
      return 'You cannot delete a tag'
    }
    const branch = branchOf(change.ref)
    if (!follows || isRemoved || branch === undefined || branch === project.default_branch) continue
    // An existing branch accepts new commits only if its name matches the pattern too.
    if (!follows(branch))
      return `Branch name '${branch}' does not follow the pattern '${rule.branch_name_regex}'`
  }
  return undefined
}

async function contentProblem(input: CheckInput, rule: PushRule): Promise<string | undefined> {
  // A commit that does not exist yet is checked after its creation.
  if (input.paths !== undefined) return undefined
  const tips = input.changes.flatMap((change) =>
    change.new === null || change.new === change.old ? [] : [change.new],
  )
  // The key contains the rule, so the same push is checked again after a change of the rule.
  const key = JSON.stringify(['push_rule', rule])
  if (tips.length === 0 || input.passed?.has(key)) return undefined
  const pushed: PushedObjects = {
    tips,
    ...(input.env ? { env: input.env } : {}),
    ...(input.signal ? { signal: input.signal } : {}),
  }
  const { inCommit, inPath } = await commitProblem(input, rule, pushed)
  if (inCommit !== undefined) return inCommit
  const problem = (await sizeProblem(input, rule, pushed)) ?? inPath
  if (problem === undefined) input.passed?.add(key)
  return problem
}

/** Returns the reasons why the first commit and the first path are refused. */
async function commitProblem(input: CheckInput, rule: PushRule, pushed: PushedObjects) {
  const problemOfCommit = await commitRules(input, rule, pushed)
  const problemOfPath = pathRules(rule)
  let inPath: string | undefined
  if (!problemOfCommit && !problemOfPath) return { inCommit: undefined, inPath }
  const slices = new TimeSlices()
  for await (const commits of newCommitsInBatches(input.repo, pushed, {
    added: problemOfPath !== undefined,
  })) {
    for (const commit of commits) {
      const inCommit = await problemOfCommit?.(commit)
      if (inCommit !== undefined) return { inCommit, inPath: undefined }
      for (const path of inPath === undefined && problemOfPath ? commit.added : []) {
        inPath = await problemOfPath!(path)
        if (inPath !== undefined) break
        if (slices.isOver()) await slices.next()
      }
      if (slices.isOver()) await slices.next()
    }
    // Without checks of commits, the first refused path decides.
    if (inPath !== undefined && !problemOfCommit) break
  }
  return { inCommit: undefined, inPath }
}

async function sizeProblem(
  { repo }: CheckInput,
  { max_file_size: megabytes }: PushRule,
  pushed: PushedObjects,
): Promise<string | undefined> {
  if (megabytes === 0) return undefined
  const [largest] = await largeBlobs(repo, pushed, megabytes * MEGABYTE + 1)
  if (!largest) return undefined
  return `File "${largest.path ?? largest.id}" is larger than the allowed size of ${megabytes} MB`
}

/** Returns a check of the path of a new file, with the reason for a refusal. Undefined if the rule does not check paths. */
function pathRules(rule: PushRule): ((path: string) => Promise<string | undefined>) | undefined {
  const isForbidden = compilePattern(rule, 'file_name_regex', forbids)
  const preventsSecrets = rule.prevent_secrets
  if (!isForbidden && !preventsSecrets) return undefined
  return async (path) => {
    const secret = preventsSecrets ? secretPattern(path) : undefined
    const pattern = secret ?? ((await isForbidden?.(path)) ? rule.file_name_regex : undefined)
    return pattern === undefined ? undefined : `File name ${path} was prohibited by the pattern "${pattern}".`
  }
}
