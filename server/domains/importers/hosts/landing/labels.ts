import { q } from '../../../../db/database.ts'
import { labelsTitled, projectOwner } from '../../../planning/index.ts'
import { CannotLand } from './cannot-land.ts'
import { once, projectOf, type ImportTarget } from './target.ts'
import type { NewLabel } from './inputs.ts'
import { textOf } from './texts.ts'

const DEFAULT_COLOR = '#6699cc'
const MAX_TITLE = 255

/** See Landing.label. */
export function landLabel(target: ImportTarget, given: NewLabel): number | null {
  return once(target, 'label', given.source_key, () => labelId(target, given))
}

/** Ids of the labels of some titles; those that are missing are made. Inside the caller's transaction. */
export function labelIds(target: ImportTarget, titles: readonly string[] = []): number[] {
  return [...new Set(titles)].flatMap((title) => (title.trim() === '' ? [] : labelId(target, { title })))
}

function labelId(target: ImportTarget, given: Pick<NewLabel, 'title' | 'color' | 'description'>): number {
  const { ctx, projectId } = target
  const title = labelTitle(given.title)
  if (title === '') throw new CannotLand("Title can't be blank")
  const known = labelsTitled(ctx.db, projectOwner(projectOf(target)), [title])[0]
  if (known) return known.id
  return ctx.db.run(
    q.insertInto('labels').values({
      project_id: projectId,
      group_id: null,
      title,
      color: colorOf(given.color),
      description: textOf(given.description).slice(0, 4096) || null,
      created_at: ctx.now,
      updated_at: ctx.now,
    }),
  ).id
}

/** A title as labels can have it: commas divide titles in lists. */
export function labelTitle(title: string): string {
  return textOf(title).replaceAll(',', ' ').replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE)
}

function colorOf(color: string | null | undefined): string {
  const code = `#${(color ?? '').trim().replace(/^#/, '')}`
  if (/^#[0-9a-f]{6}$/i.test(code)) return code
  return /^#[0-9a-f]{3}$/i.test(code) ? code.replaceAll(/[0-9a-f]/gi, '$&$&') : DEFAULT_COLOR
}
