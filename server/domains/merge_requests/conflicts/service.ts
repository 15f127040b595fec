import { isUtf8, Buffer } from 'node:buffer'
import type { Ctx } from '../../../ctx.ts'
import { GitRefError } from '../../../git/errors.ts'
import { blobSize, readBlob } from '../../../git/read/blob.ts'
import { newObject, writeObjects, type NewObject } from '../../../git/read/objects.ts'
import type { Repo } from '../../../git/types.ts'
import { commitContent } from '../../../git/write/commit.ts'
import { copyCommits } from '../../../git/write/copy-commits.ts'
import { mergeStages, type ConflictedPath, type StagedFile } from '../../../git/write/merge-stages.ts'
import { mergeText, type MergedSection } from '../../../git/write/merge-text.ts'
import { TreeEditor } from '../../../git/write/tree-editor.ts'
import { fail, notFound, type Failure } from '../../../lib/fail.ts'
import { pointerOf } from '../../../lib/lfs.ts'
import { inRepository, repoOf, type Project } from '../../projects/index.ts'
import { committerOf, moveRefs, refusalOf, linkLargeFilesFromNetwork } from '../../repository/index.ts'
import { ensureVersion, sourceProject, tipsOf } from '../diffs/branches.ts'
import { checkMayReadCode, mayPushToSource } from '../policy.ts'
import type { MergeRequestRow } from '../types.ts'

/** A section of a file. The ID of a conflict stays the same as long as both heads do. */
type Section =
  | { readonly conflict: false; readonly text: string }
  | {
      readonly conflict: true
      readonly id: string
      readonly ours: string
      readonly base: string
      readonly theirs: string
    }

/** The resolution of one file: a side for each conflict, or the whole content. */
interface FileResolution {
  readonly path: string
  readonly sections?: readonly SectionChoice[] | undefined
  readonly content?: string | undefined
}

interface SectionChoice {
  readonly id: string
  readonly use: 'ours' | 'theirs' | 'both'
}

/** Numbers the conflicts of a file. */
function withIds(sections: readonly MergedSection[]): Section[] {
  let count = 0
  return sections.map((section) => (section.conflict ? { ...section, id: String((count += 1)) } : section))
}

const badRequest = (sentence: string): Failure => fail('bad_request', sentence)

/** Returns the resolved text of a file. Throws 400 for a conflict without a choice, and for an invalid choice. */
function resolvedText(sections: readonly Section[], resolution: FileResolution, maxBytes: number): string {
  const { path, content } = resolution
  if ((content === undefined) === (resolution.sections === undefined))
    throw badRequest(`Choose a version for each conflict of ${path}, or provide its content.`)
  const text = content ?? joinSections(sections, resolution)
  if (Buffer.byteLength(text) > maxBytes) throw badRequest(`The content of ${path} is too large.`)
  if (content !== undefined && hasMarkers(sections, content))
    throw badRequest(`${path} still has conflict markers.`)
  return text
}

function joinSections(
  sections: readonly Section[],
  { path, sections: choices = [] }: FileResolution,
): string {
  const chosen = new Map(choices.map((choice) => [choice.id, choice.use]))
  if (chosen.size !== choices.length) throw badRequest(`A conflict of ${path} is resolved twice.`)
  const texts = sections.map((section) => {
    if (!section.conflict) return section.text
    const use = chosen.get(section.id)
    if (use === undefined)
      throw badRequest(`Choose a version for each conflict of ${path}, or provide its content.`)
    chosen.delete(section.id)
    if (use !== 'both') return section[use]
    // A side at the end of the file may have no line end.
    const lineEnd = section.ours === '' || section.ours.endsWith('\n') ? '' : '\n'
    return section.ours + lineEnd + section.theirs
  })
  const [unknown] = chosen.keys()
  if (unknown !== undefined) throw badRequest(`${path} has no conflict ${unknown}.`)
  return texts.join('')
}

const MARKER = /^(?:<{7}|\|{7}|>{7})(?: .*)?$/gm

/** Whether the content has conflict markers. A marker that a version of the file contains is part of its text. */
function hasMarkers(sections: readonly Section[], content: string): boolean {
  const markers = new Set(
    sections.flatMap((section) =>
      (section.conflict ? [section.ours, section.base, section.theirs] : [section.text]).flatMap(markersIn),
    ),
  )
  return markersIn(content).some((line) => !markers.has(line))
}

function markersIn(text: string): string[] {
  return [...text.replaceAll('\r\n', '\n').matchAll(MARKER)].map(([line]) => line)
}

/** The maximum size of a file that is resolved here, bytes. Larger files are resolved in a clone. */
const MAX_FILE_BYTES = 200 * 1024
/** The maximum number of files that are resolved at once. */
const MAX_FILES = 100

const TEXT_MODES = new Set(['100644', '100755'])
const MOVED = 'The branches have changed. Load the conflicts again.'

/** A file with conflicts, and why it cannot be resolved here. */
interface File extends ConflictedPath {
  readonly problem: string | null
}

/** The conflicts between the branches of a merge request. */
export interface Conflicts {
  readonly request: MergeRequestRow
  readonly source_sha: string
  readonly target_sha: string
  readonly commit_message: string
  /** The reason why the actor cannot resolve the conflicts here; null if they can. */
  readonly problem: string | null
  readonly files: readonly File[]
}

/** The sections of one file. */
export interface ConflictText {
  readonly path: string
  readonly source_sha: string
  readonly target_sha: string
  readonly sections: readonly Section[]
}

/** The merge of the target branch into the source branch. `repo` has the commits of both. */
interface MergeState {
  readonly repo: Repo
  readonly source: Project
  readonly head: string
  readonly target: string
  readonly tree: string
  readonly files: readonly File[]
}

const conflict = (sentence: string) => fail('conflict', sentence)

/** Runs `work` with the merge of the target branch into the source branch. Throws 409 when there are no conflicts. */
function withConflicts<T>(
  ctx: Ctx,
  project: Project,
  before: MergeRequestRow,
  work: (state: MergeState) => Promise<T>,
): Promise<T> {
  checkMayReadCode(ctx, project)
  return inRepository(ctx, project, async () => {
    if (before.state !== 'opened') throw conflict('The merge request is not open.')
    const request = await ensureVersion(ctx, project, before)
    const { repo, head, target, source: sourceRepo } = await tipsOf(ctx, project, request)
    const source = sourceProject(ctx, project, request)
    if (!source || !sourceRepo || head === null) throw conflict('The source branch does not exist.')
    if (target === null) throw conflict('The target branch does not exist.')
    if (sourceRepo.gitDir !== repo.gitDir) await copyCommits(sourceRepo, repo, [head])
    const merge = await mergeStages(repo, head, target)
    if (!merge) throw conflict('The branches have no common history.')
    if (merge.clean) throw conflict('There are no conflicts to resolve.')
    const files: File[] = []
    for (const file of merge.conflicts) files.push({ ...file, problem: await problemOf(repo, file) })
    return work({ repo, source, head, target, tree: merge.tree, files })
  })
}

/** Returns the reason why a file cannot be resolved here; null if it can. */
async function problemOf(repo: Repo, { base, ours, theirs }: ConflictedPath): Promise<string | null> {
  if (!ours && !theirs) return 'Both branches moved or deleted this file.'
  if (!ours) return 'The source branch deleted or moved this file, and the target branch changed it.'
  if (!theirs) return 'The target branch deleted or moved this file, and the source branch changed it.'
  const sides = [base, ours, theirs].filter((side) => side !== undefined)
  if (sides.some((side) => !TEXT_MODES.has(side.mode))) return 'This is a link or a submodule.'
  for (const { id } of sides) {
    const size = await blobSize(repo, id)
    if (size === null || size > MAX_FILE_BYTES) return 'This file is too large to resolve here.'
  }
  for (const side of sides) {
    const { content } = (await readBlob(repo, side.id))!
    if (content.includes(0) || !isUtf8(content)) return 'This is a binary file.'
    if (pointerOf(content)) return 'This file is stored with git LFS.'
  }
  return null
}

/** Returns the files with conflicts and whether the actor can resolve them. */
export function conflictsOf(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<Conflicts> {
  return withConflicts(ctx, project, request, async ({ source, head, target, files }) => ({
    request,
    source_sha: head,
    target_sha: target,
    commit_message: messageFor(request, files),
    problem: problemFor(ctx, project, { source, request, files }),
    files,
  }))
}

function messageFor(request: MergeRequestRow, files: readonly File[]): string {
  const lines = files.map((file) => `#   ${file.path}`).join('\n')
  return `Merge branch '${request.target_branch}' into '${request.source_branch}'\n\n# Conflicts:\n${lines}`
}

function problemFor(
  ctx: Ctx,
  project: Project,
  { source, request, files }: Pick<MergeState, 'source' | 'files'> & { request: MergeRequestRow },
): string | null {
  if (!mayPushToSource(ctx, project, source, request)) return 'You cannot push to the source branch.'
  if (files.length === 0 || files.length > MAX_FILES) return 'There are too many conflicts to resolve here.'
  if (files.some((file) => file.problem !== null)) return 'Some files can only be resolved in a clone.'
  return null
}

/** Returns the sections of one file. Throws 404 for a path without conflicts, 422 for a file that has no sections. */
export function conflictText(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  path: string,
): Promise<ConflictText> {
  return withConflicts(ctx, project, request, async ({ repo, head, target, files }) => {
    const file = files.find((candidate) => candidate.path === path)
    if (!file) throw notFound('File')
    if (file.problem !== null) throw fail('unprocessable', file.problem)
    return { path, source_sha: head, target_sha: target, sections: await sectionsOf(repo, file) }
  })
}

async function sectionsOf(repo: Repo, file: ConflictedPath): Promise<Section[]> {
  const read = async (side: StagedFile | undefined) =>
    side ? (await readBlob(repo, side.id))!.content.toString('utf8') : ''
  const [base, ours, theirs] = await Promise.all([read(file.base), read(file.ours), read(file.theirs)])
  return withIds(await mergeText(repo, { base, ours, theirs }))
}

/** The resolution of all conflicts between two heads. */
export interface Resolution {
  readonly source_sha: string
  readonly target_sha: string
  readonly commit_message: string
  readonly files: readonly FileResolution[]
}

/**
 * Merges the target branch into the source branch with the resolved files, and pushes the commit. Throws 403 when the
 * actor may not push, 409 when a branch has moved, 400 when a resolution is invalid.
 */
export function resolveConflicts(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  resolution: Resolution,
): Promise<{ commit_id: string }> {
  return withConflicts(ctx, project, request, async (state) => {
    const { repo, source, head, target, files } = state
    if (!mayPushToSource(ctx, project, source, request))
      throw fail('forbidden', '403 Forbidden - You cannot push to the source branch.')
    if (resolution.source_sha !== head || resolution.target_sha !== target) throw conflict(MOVED)
    const problem = problemFor(ctx, project, { source, request, files })
    if (problem !== null) throw fail('unprocessable', problem)
    checkPaths(files, resolution.files)
    const commit = await makeCommit(ctx, state, resolution)
    const sourceRepo = repoOf(ctx, source)
    if (sourceRepo.gitDir !== repo.gitDir) {
      await copyCommits(repo, sourceRepo, [commit])
      await linkLargeFilesFromNetwork(ctx, source, sourceRepo, [commit])
    }
    await push(ctx, source, { branch: request.source_branch, old: head, new: commit })
    return { commit_id: commit }
  })
}

function checkPaths(files: readonly File[], resolutions: readonly FileResolution[]): void {
  const paths = new Set(resolutions.map((file) => file.path))
  if (paths.size !== resolutions.length) throw fail('bad_request', 'A file is resolved twice.')
  const missing = files.find((file) => !paths.has(file.path))
  if (missing) throw fail('bad_request', `${missing.path} is not resolved.`)
  const extra = resolutions.find((resolution) => files.every((file) => file.path !== resolution.path))
  if (extra) throw fail('bad_request', `${extra.path} has no conflicts.`)
}

/** Writes the resolved files, their trees and the merge commit. No ref points to them yet. */
async function makeCommit(ctx: Ctx, state: MergeState, resolution: Resolution): Promise<string> {
  const { repo, head, target, tree, files } = state
  const objects: NewObject[] = []
  const editor = await TreeEditor.open(repo, tree)
  for (const file of files) {
    const choice = resolution.files.find((entry) => entry.path === file.path)!
    const text = resolvedText(await sectionsOf(repo, file), choice, 2 * MAX_FILE_BYTES)
    const blob = await newObject('blob', Buffer.from(text, 'utf8'))
    objects.push(blob)
    await editor.set(file.path, { mode: modeOf(file), id: blob.id })
  }
  const root = await editor.finish(objects)
  const committer = committerOf(ctx)
  const people = { author: committer, committer }
  const content = commitContent(root, {
    parents: [head, target],
    message: resolution.commit_message,
    ...people,
  })
  const commit = await newObject('commit', content)
  await writeObjects(repo, [...objects, commit])
  return commit.id
}

/** Returns the file mode of the side that changed it. */
function modeOf({ base, ours, theirs }: ConflictedPath): string {
  return base?.mode === ours!.mode ? theirs!.mode : ours!.mode
}

async function push(
  ctx: Ctx,
  source: Project,
  move: { branch: string; old: string; new: string },
): Promise<void> {
  const changes = [{ ref: `refs/heads/${move.branch}`, old: move.old, new: move.new }]
  const refusal = await refusalOf({ ctx, project: source, repo: repoOf(ctx, source), source: 'api', changes })
  if (refusal) throw fail('forbidden', `403 Forbidden - ${refusal}`)
  try {
    await moveRefs(ctx, source, { source: 'api', changes })
  } catch (error) {
    if (error instanceof GitRefError) throw conflict(MOVED)
    throw error
  }
}
