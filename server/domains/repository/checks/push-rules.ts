import { newCommitsInBatches } from '../../../git/transport/pushed-commits.ts'
import { largeBlobs, type Newcomers } from '../../../git/transport/pushed.ts'
import { TimeSlices } from '../../../lib/time-slices.ts'
import { finder, forbids, ruleOfProject, secretPattern, type PushRule } from '../../push_rules/index.ts'
import { branchOf, tagOf, type CheckInput } from './check.ts'
import { commitRules } from './push-rules-commits.ts'
import { BadPattern, used } from './push-rules-patterns.ts'

const MEGABYTE = 1024 * 1024

/**
 * The push rule of the project (spec administration 11.2): names first, then the commits that are new, the size of their
 * files, and their paths. Projects without a rule pay for one remembered question. What a mirror brings is accepted as it
 * is: it was written elsewhere, and is known here already when the branches follow.
 */
export async function respectPushRules(input: CheckInput): Promise<string | undefined> {
  const { ctx, project, source } = input
  const rule = ruleOfProject(ctx.db, project.id)
  if (!rule || source === 'mirror' || ctx.actor.kind === 'system') return undefined
  try {
    return nameProblem(input, rule) ?? (await contentProblem(input, rule))
  } catch (error) {
    if (error instanceof BadPattern) return error.message
    throw error
  }
}

function nameProblem({ project, source, changes }: CheckInput, rule: PushRule): string | undefined {
  const follows = used(rule, 'branch_name_regex', finder)
  for (const change of changes) {
    const isRemoved = change.new === null
    if (isRemoved && source === 'push' && rule.deny_delete_tag && tagOf(change.ref) !== undefined) {
      return 'You cannot delete a tag'
    }
    const branch = branchOf(change.ref)
    if (!follows || isRemoved || branch === undefined || branch === project.default_branch) continue
    // A branch that is there already keeps taking commits only under a name that follows the pattern.
    if (!follows(branch))
      return `Branch name '${branch}' does not follow the pattern '${rule.branch_name_regex}'`
  }
  return undefined
}

async function contentProblem(input: CheckInput, rule: PushRule): Promise<string | undefined> {
  // Where the commit is not made yet, it is looked at when it is.
  if (input.paths !== undefined) return undefined
  const tips = input.changes.flatMap((change) =>
    change.new === null || change.new === change.old ? [] : [change.new],
  )
  // Going through many commits once is enough, as long as the rule is the same.
  const question = JSON.stringify(['push_rule', rule])
  if (tips.length === 0 || input.passed?.has(question)) return undefined
  const from: Newcomers = {
    tips,
    ...(input.env ? { env: input.env } : {}),
    ...(input.signal ? { signal: input.signal } : {}),
  }
  const inCommits = await commitProblem(input, rule, from)
  if (inCommits.sentence !== undefined) return inCommits.sentence
  const problem = (await sizeProblem(input, rule, from)) ?? inCommits.inPaths
  if (problem === undefined) input.passed?.add(question)
  return problem
}

/** What is wrong with the first commit that something is wrong with, and, told later, with a path. */
async function commitProblem(input: CheckInput, rule: PushRule, from: Newcomers) {
  const problemOfCommit = await commitRules(input, rule, from)
  const problemOfPath = pathRules(rule)
  let inPaths: string | undefined
  if (!problemOfCommit && !problemOfPath) return { sentence: undefined, inPaths }
  const slices = new TimeSlices()
  for await (const commits of newCommitsInBatches(input.repo, from, { added: problemOfPath !== undefined })) {
    for (const commit of commits) {
      const sentence = await problemOfCommit?.(commit)
      if (sentence !== undefined) return { sentence, inPaths: undefined }
      for (const path of inPaths === undefined && problemOfPath ? commit.added : []) {
        inPaths = await problemOfPath!(path)
        if (inPaths !== undefined) break
        if (slices.isOver()) await slices.next()
      }
      if (slices.isOver()) await slices.next()
    }
    // Commits have nothing against it, so nothing said later can come first.
    if (inPaths !== undefined && !problemOfCommit) break
  }
  return { sentence: undefined, inPaths }
}

async function sizeProblem(
  { repo }: CheckInput,
  { max_file_size: megabytes }: PushRule,
  from: Newcomers,
): Promise<string | undefined> {
  if (megabytes === 0) return undefined
  const [largest] = await largeBlobs(repo, from, megabytes * MEGABYTE + 1)
  if (!largest) return undefined
  return `File "${largest.path ?? largest.id}" is larger than the allowed size of ${megabytes} MB`
}

/** What a rule has against the path of a new file; undefined where it asks nothing of paths. */
function pathRules(rule: PushRule): ((path: string) => Promise<string | undefined>) | undefined {
  const isForbidden = used(rule, 'file_name_regex', forbids)
  const looksForSecrets = rule.prevent_secrets
  if (!isForbidden && !looksForSecrets) return undefined
  return async (path) => {
    const secret = looksForSecrets ? secretPattern(path) : undefined
    const pattern = secret ?? ((await isForbidden?.(path)) ? rule.file_name_regex : undefined)
    return pattern === undefined ? undefined : `File name ${path} was prohibited by the pattern "${pattern}".`
  }
}
