import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { invalid } from '../../lib/fail.ts'
import type { UploadedFile } from '../../http/upload.ts'
import { AppearanceChanged } from './events.ts'
import { checkImage, dropOthers, IMAGES, keepImage, type ImageName } from './images.ts'
import * as store from './store.ts'
import type { AppearanceRow } from './store.ts'

/** Texts that are kept as HTML, too; each has a column `<name>_html`. */
const RENDERED = [
  'description',
  'new_project_guidelines',
  'profile_image_guidelines',
  'header_message',
  'footer_message',
] as const

/** What is asked for; absent stays, and a picture that is null goes. */
export interface AppearanceChanges extends Partial<Record<ImageName, UploadedFile | null>> {
  readonly texts: Readonly<Record<string, string | undefined>>
  readonly email_header_and_footer_enabled?: boolean | undefined
}

/** What the instance looks like. */
export function appearanceOf(ctx: Ctx): AppearanceRow {
  return store.load(ctx.db, ctx.now)
}

/** Changes texts, colors and pictures. Throws 400 for a picture that cannot be shown and a color that is none. */
export async function changeAppearance(ctx: Ctx, given: AppearanceChanges): Promise<AppearanceRow> {
  const texts = Object.fromEntries(
    Object.entries(given.texts).filter((one): one is [string, string] => one[1] !== undefined),
  )
  checkColors(texts)
  const images = IMAGES.filter((name) => given[name] !== undefined)
  for (const name of images) if (given[name]) await checkImage(name, given[name])
  const html = await htmlOf(texts)
  const names = new Map<ImageName, string | null>()
  for (const name of images) names.set(name, given[name] ? await keepImage(ctx, name, given[name]) : null)
  const enabled = given.email_header_and_footer_enabled
  const row = tx(ctx.db, () => {
    store.load(ctx.db, ctx.now)
    const changed = store.update(ctx.db, {
      ...texts,
      ...html,
      ...Object.fromEntries(names),
      ...(enabled === undefined ? {} : { email_header_and_footer_enabled: enabled }),
      updated_at: ctx.now,
    })
    const words = [...Object.keys(texts), ...images]
    if (enabled !== undefined) words.push('email_header_and_footer_enabled')
    publish(ctx, AppearanceChanged, { appearance_id: changed.id, changed: words, actor_id: ctx.actor.id })
    return changed
  })
  for (const [name, kept] of names) await dropOthers(ctx, name, kept)
  return row
}

function checkColors(texts: Readonly<Record<string, string>>): void {
  for (const name of ['message_background_color', 'message_font_color']) {
    const color = texts[name]
    if (color !== undefined && !/^#(?:[0-9a-f]{3}){1,2}$/i.test(color))
      throw invalid({ [name]: 'must be a valid color code' })
  }
}

async function htmlOf(texts: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const wanted = RENDERED.filter((name) => texts[name] !== undefined)
  if (wanted.length === 0) return {}
  const { renderMarkdown } = await import('../../lib/markdown.ts')
  return Object.fromEntries(wanted.map((name) => [`${name}_html`, renderMarkdown(texts[name]!).trim()]))
}
