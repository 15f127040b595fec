import { tx } from '../../../../db/database.ts'
import {
  recordIid,
  labelsTitled,
  milestoneTitled,
  projectOwner,
  importedPlanning,
} from '../../../planning/index.ts'
import { accountOf, knownAmong, signedText } from './people.ts'
import {
  CannotLand,
  issuableId,
  landed,
  maybeTime,
  once,
  projectOf,
  textOf,
  timeOf,
  titleOf,
  type ImportTarget,
} from './target.ts'
import type { IssuableRef, NewIssue, NewLabel, NewMergeRequest, NewMilestone } from './types.ts'

/** See Landing.issue. */
export function landIssue(target: ImportTarget, given: NewIssue): number | null {
  return once(target, 'issue', given.source_key, () => {
    const { ctx, projectId } = target
    takeNumber(target, 'Issue', given.iid)
    const values = { ...issuableColumns(target, given), project_id: projectId, state: given.state }
    const id = importedPlanning.insertIssue(ctx.db, values)
    addPlanning(target, { kind: 'Issue', id }, given)
    return id
  })
}

/** Gives an issue or merge request its number. Inside the caller's transaction. Throws CannotLand for a taken one. */
export function takeNumber({ ctx, projectId }: ImportTarget, kind: IssuableRef['kind'], iid: number): void {
  if (importedPlanning.issuableAt(ctx.db, projectId, { kind, iid }))
    throw new CannotLand('Iid has already been taken')
  recordIid(ctx.db, { project_id: projectId }, kind === 'Issue' ? 'issues' : 'merge_requests', iid)
}

/** The columns that issues and merge requests share. Inside the caller's transaction. */
export function issuableColumns(target: ImportTarget, given: NewIssue | NewMergeRequest) {
  if (!Number.isSafeInteger(given.iid) || given.iid < 1) throw new CannotLand('It has no number.')
  const author = accountOf(target, given.author)
  const closer = given.closed_by === undefined ? undefined : accountOf(target, given.closed_by)
  const created_at = timeOf(given.created_at)
  return {
    iid: given.iid,
    author_id: author.id,
    title: titleOf(given.title, `Imported ${given.iid}`),
    description: signedText(target, author, given.author, given.description) || null,
    milestone_id: milestoneId(target, given.milestone_iid),
    discussion_locked: given.discussion_locked ? true : null,
    closed_at: given.state === 'closed' ? maybeTime(given.closed_at ?? given.updated_at) : null,
    closed_by_id: given.state === 'closed' && closer?.known ? closer.id : null,
    created_at,
    updated_at: maybeTime(given.updated_at) ?? created_at,
  }
}

/** Adds labels and assignees to an issue or merge request. Inside the caller's transaction. */
export function addPlanning(
  target: ImportTarget,
  on: { readonly kind: IssuableRef['kind']; readonly id: number },
  given: Pick<NewIssue, 'labels' | 'assignees'>,
): void {
  addLabelsTo(target, on, given.labels ?? [])
  importedPlanning.addAssignees(target.ctx.db, on, knownAmong(target, given.assignees))
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
export function landLabel(target: ImportTarget, given: NewLabel): number | null {
  return once(target, 'label', given.source_key, () => labelId(target, given))
}

/** Ids of the labels with some titles; missing labels are created. Inside the caller's transaction. */
function labelIds(target: ImportTarget, titles: readonly string[]): number[] {
  return [...new Set(titles)].flatMap((title) => (title.trim() === '' ? [] : labelId(target, { title })))
}

function labelId(target: ImportTarget, given: Pick<NewLabel, 'title' | 'color' | 'description'>): number {
  const { ctx, projectId } = target
  const title = labelTitle(given.title)
  if (title === '') throw new CannotLand("Title can't be blank")
  const known = labelsTitled(ctx.db, projectOwner(projectOf(target)), [title])[0]
  if (known) return known.id
  return importedPlanning.insertLabel(ctx.db, {
    project_id: projectId,
    group_id: null,
    title,
    color: colorOf(given.color),
    description: textOf(given.description).slice(0, MAX_LABEL_DESCRIPTION) || null,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
}

/** A title that a label can have: commas separate titles in lists. */
export function labelTitle(title: string): string {
  return textOf(title).replaceAll(',', ' ').replace(/\s+/g, ' ').trim().slice(0, MAX_LABEL_TITLE)
}

function colorOf(color: string | null | undefined): string {
  const code = `#${(color ?? '').trim().replace(/^#/, '')}`
  if (/^#[0-9a-f]{6}$/i.test(code)) return code
  return /^#[0-9a-f]{3}$/i.test(code) ? code.replaceAll(/[0-9a-f]/gi, '$&$&') : DEFAULT_COLOR
}

const BY_IID = 'milestone_iid'

/** See Landing.milestone. */
export function landMilestone(target: ImportTarget, given: NewMilestone): number | null {
  return once(target, 'milestone', given.source_key, () => {
    const id = insertMilestone(target, given)
    // Issues name the milestone's number at the other host, which may differ from the one here.
    once(target, BY_IID, String(given.iid), () => id)
    return id
  })
}

/** The id of the milestone with a number at the other host; null for no number. */
function milestoneId(target: ImportTarget, iid: number | null | undefined): number | null {
  return iid == null ? null : (landed(target, BY_IID, String(iid)) ?? null)
}

function insertMilestone(target: ImportTarget, given: NewMilestone): number {
  const { ctx, projectId } = target
  const title = titleOf(given.title, `Milestone ${given.iid}`)
  const same = milestoneTitled(ctx.db, projectOf(target), title)
  if (same) return same.id
  if (!Number.isSafeInteger(given.iid) || given.iid < 1) throw new CannotLand('A milestone has no number.')
  const created_at = timeOf(given.created_at)
  recordIid(ctx.db, { project_id: projectId }, 'milestones', given.iid)
  return importedPlanning.insertMilestone(ctx.db, {
    iid: given.iid,
    project_id: projectId,
    group_id: null,
    title,
    description: textOf(given.description) || null,
    state: given.state,
    due_date: given.due_date ? timeOf(given.due_date).slice(0, 10) : null,
    created_at,
    updated_at: given.updated_at ? timeOf(given.updated_at) : created_at,
  })
}
