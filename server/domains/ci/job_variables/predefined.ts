import type { Ctx } from '../../../ctx.ts'
import { findCommit, type Commit } from '../../../git/commits.ts'
import { ZERO_ID } from '../../../git/names.ts'
import { findTag } from '../../../git/refs.ts'
import { repoOf, type Project } from '../../projects/index.ts'
import { slugOf, type Variable } from '../../ci_config/index.ts'
import { plain, texts, type Item } from './item.ts'
import { legacyOf } from './legacy.ts'
import { ofMergeRequest, ofPipeline } from './of-pipeline.ts'
import { ofProject } from './of-project.ts'
import { ofServer } from './of-server.ts'
import { ofUser } from './of-user.ts'
import type { VariableTarget } from './target.ts'

/** A message is a part of the environment of every command, which systems limit to 128 KiB for one variable. */
const MAX_BYTES = 100_000

/** A longer first line is no title: the description is the whole message then. */
const MAX_TITLE = 100

/** What tells a script about the commit and the ref it lies on. */
async function ofCommit(ctx: Ctx, project: Project, target: VariableTarget): Promise<Item[]> {
  const repo = repoOf(ctx, project)
  const commit = await findCommit(repo, target.sha)
  const tag = target.kind === 'tag' ? await findTag(repo, target.ref) : null
  const ref = sourceRef(target)
  return [
    ...plain({
      CI_COMMIT_SHA: target.sha,
      CI_COMMIT_SHORT_SHA: target.sha.slice(0, 8),
      CI_COMMIT_BEFORE_SHA: target.before_sha ?? ZERO_ID,
      CI_COMMIT_REF_NAME: ref,
      CI_COMMIT_REF_SLUG: slugOf(ref),
      CI_COMMIT_REF_PROTECTED: String(target.isProtected),
      CI_COMMIT_BRANCH: target.kind === 'branch' ? target.ref : undefined,
      CI_COMMIT_TAG: target.kind === 'tag' ? target.ref : undefined,
    }),
    ...(target.kind === 'tag' ? texts({ CI_COMMIT_TAG_MESSAGE: cut(tag?.message ?? '') }) : []),
    ...(commit ? ofMessage(commit) : []),
  ]
}

/** The branch or tag; of a merge request the branch that is to be merged. */
function sourceRef({ ref, kind, merge_request }: VariableTarget): string {
  if (kind !== 'merge_request') return ref
  const branch = merge_request?.predefined.find(({ key }) => key === 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME')
  return branch?.value ?? ref
}

function ofMessage(commit: Commit): Item[] {
  const message = cut(commit.message)
  const [title = '', ...rest] = message.split('\n')
  return [
    ...texts({
      CI_COMMIT_MESSAGE: message,
      CI_COMMIT_TITLE: title,
      CI_COMMIT_DESCRIPTION: title.length < MAX_TITLE ? rest.join('\n').trim() : message,
    }),
    ...plain({ CI_COMMIT_TIMESTAMP: commit.committed_date }),
    ...texts({ CI_COMMIT_AUTHOR: `${commit.author_name} <${commit.author_email}>` }),
  ]
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text
  // A letter that the cut goes through is left out.
  return Buffer.from(text)
    .subarray(0, MAX_BYTES)
    .toString('utf8')
    .replace(/\uFFFD$/, '')
}

/**
 * What the instance gives before there are jobs, for includes and rules (spec ci 2.13, phases A and B). Without a target,
 * what holds for all pipelines of the project.
 */
export async function predefinedForPipeline(
  ctx: Ctx,
  project: Project,
  target: VariableTarget | null,
): Promise<Variable[]> {
  const items = [
    ...ofServer(ctx),
    ...ofProject(ctx, project),
    ...(target ? [...(await ofTarget(ctx, project, target)), ...ofUser(target.user)] : []),
  ]
  return [...items, ...legacyOf(items)].map(({ key, value }) => ({ key, value }))
}

/** What a pipeline's target gives to it. */
export async function ofTarget(ctx: Ctx, project: Project, target: VariableTarget): Promise<Item[]> {
  return [
    ...ofPipeline(ctx, project, target),
    ...(await ofCommit(ctx, project, target)),
    ...ofMergeRequest(target),
  ]
}
