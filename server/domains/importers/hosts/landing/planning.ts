import { tx } from '../../../../db/database.ts'
import {
  recordIid,
  labelsWithTitles,
  milestoneTitled,
  projectOwner,
  importedPlanning,
} from '../../../planning/index.ts'
import { accountOf, matchedUserIds, signedText } from './people.ts'
import {
  LandingError,
  issuableId,
  importedId,
  optionalTime,
  importOnce,
  projectOf,
  textOf,
  timeOf,
  titleOf,
  type ImportTarget,
} from './target.ts'
import type { IssuableRef, NewIssue, NewLabel, NewMergeRequest, NewMilestone } from './types.ts'

/** See Landing.issue. */
export function landIssue(target: ImportTarget, input: NewIssue): number | null {
  return importOnce(target, 'issue', input.source_key, () => {
    const { ctx, projectId } = target
    reserveNumber(target, 'Issue', input.iid)
    const values = { ...issuableColumns(target, input), project_id: projectId, state: input.state }
    const id = importedPlanning.insertIssue(ctx.db, values)
    addPlanning(target, { kind: 'Issue', id }, input)
    return id
  })
}

/** Reserves the number of an issue or merge request in the caller's transaction. Throws LandingError if it is in use. */
export function reserveNumber(
  { ctx, projectId }: ImportTarget,
  kind: IssuableRef['kind'],
  iid: number,
): void {
  if (importedPlanning.issuableAt(ctx.db, projectId, { kind, iid }))
    throw new LandingError('Iid has already been taken')
  recordIid(ctx.db, { project_id: projectId }, kind === 'Issue' ? 'issues' : 'merge_requests', iid)
}

/** The columns that issues and merge requests share. Runs in the caller's transaction, because it may create a user. */
export function issuableColumns(target: ImportTarget, input: NewIssue | NewMergeRequest) {
  if (!Number.isSafeInteger(input.iid) || input.iid < 1) throw new LandingError('It has no number.')
  const author = accountOf(target, input.author)
  const closer = input.closed_by === undefined ? undefined : accountOf(target, input.closed_by)
  const created_at = timeOf(input.created_at)
  return {
    iid: input.iid,
    author_id: author.id,
    title: titleOf(input.title, `Imported ${input.iid}`),
    description: signedText(target, author, input.author, input.description) || null,
    milestone_id: milestoneId(target, input.milestone_iid),
    discussion_locked: input.discussion_locked ? true : null,
    closed_at: input.state === 'closed' ? optionalTime(input.closed_at ?? input.updated_at) : null,
    closed_by_id: input.state === 'closed' && closer?.isMatched ? closer.id : null,
    created_at,
    updated_at: optionalTime(input.updated_at) ?? created_at,
  }
}

/** Adds labels and assignees to an issue or merge request, in the caller's transaction. */
export function addPlanning(
  target: ImportTarget,
  on: { readonly kind: IssuableRef['kind']; readonly id: number },
  input: Pick<NewIssue, 'labels' | 'assignees'>,
): void {
  addLabelsTo(target, on, input.labels ?? [])
  importedPlanning.addAssignees(target.ctx.db, on, matchedUserIds(target, input.assignees))
}

function addLabelsTo(
  target: ImportTarget,
  on: { readonly kind: IssuableRef['kind']; readonly id: number },
  titles: readonly string[],
): void {
  if (titles.length > 0) importedPlanning.addLabels(target.ctx.db, on, labelIds(target, titles))
}

/** See Landing.labels. */
export function addLabels(target: ImportTarget, on: IssuableRef, titles: readonly string[]): void {
  const id = issuableId(target, on)
  tx(target.ctx.db, () => addLabelsTo(target, { kind: on.kind, id }, titles))
}

const DEFAULT_COLOR = '#6699cc'
const MAX_LABEL_TITLE = 255
const MAX_LABEL_DESCRIPTION = 4096

/** See Landing.label. */
export function landLabel(target: ImportTarget, input: NewLabel): number | null {
  return importOnce(target, 'label', input.source_key, () => labelId(target, input))
}

/** Returns the IDs of labels by title. Creates missing labels in the caller's transaction. */
function labelIds(target: ImportTarget, titles: readonly string[]): number[] {
  return [...new Set(titles)].flatMap((title) => (title.trim() === '' ? [] : labelId(target, { title })))
}

function labelId(target: ImportTarget, input: Pick<NewLabel, 'title' | 'color' | 'description'>): number {
  const { ctx, projectId } = target
  const title = labelTitle(input.title)
  if (title === '') throw new LandingError("Title can't be blank")
  const existing = labelsWithTitles(ctx.db, projectOwner(projectOf(target)), [title])[0]
  if (existing) return existing.id
  return importedPlanning.insertLabel(ctx.db, {
    project_id: projectId,
    group_id: null,
    title,
    color: colorOf(input.color),
    description: textOf(input.description).slice(0, MAX_LABEL_DESCRIPTION) || null,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
}

/** A title in the form that labels allow: without commas, which separate titles in lists. */
export function labelTitle(title: string): string {
  return textOf(title).replaceAll(',', ' ').replace(/\s+/g, ' ').trim().slice(0, MAX_LABEL_TITLE)
}

function colorOf(color: string | null | undefined): string {
  const code = `#${(color ?? '').trim().replace(/^#/, '')}`
  if (/^#[0-9a-f]{6}$/i.test(code)) return code
  return /^#[0-9a-f]{3}$/i.test(code) ? code.replaceAll(/[0-9a-f]/gi, '$&$&') : DEFAULT_COLOR
}

const MILESTONE_MARK = 'milestone_iid'

/** See Landing.milestone. */
export function landMilestone(target: ImportTarget, input: NewMilestone): number | null {
  return importOnce(target, 'milestone', input.source_key, () => {
    const id = insertMilestone(target, input)
    // Issues refer to the milestone by its number at the other host, which may differ from its number here.
    importOnce(target, MILESTONE_MARK, String(input.iid), () => id)
    return id
  })
}

/** The ID of the milestone with this number at the other host; null for no number or an unknown one. */
function milestoneId(target: ImportTarget, iid: number | null | undefined): number | null {
  return iid == null ? null : (importedId(target, MILESTONE_MARK, String(iid)) ?? null)
}

function insertMilestone(target: ImportTarget, input: NewMilestone): number {
  const { ctx, projectId } = target
  const title = titleOf(input.title, `Milestone ${input.iid}`)
  const existing = milestoneTitled(ctx.db, projectOf(target), title)
  if (existing) return existing.id
  if (!Number.isSafeInteger(input.iid) || input.iid < 1) throw new LandingError('A milestone has no number.')
  const created_at = timeOf(input.created_at)
  recordIid(ctx.db, { project_id: projectId }, 'milestones', input.iid)
  return importedPlanning.insertMilestone(ctx.db, {
    iid: input.iid,
    project_id: projectId,
    group_id: null,
    title,
    description: textOf(input.description) || null,
    state: input.state,
    due_date: input.due_date ? timeOf(input.due_date).slice(0, 10) : null,
    created_at,
    updated_at: input.updated_at ? timeOf(input.updated_at) : created_at,
  })
}
