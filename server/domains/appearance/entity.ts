import { z } from 'zod'

import { entity, row } from '../../http/entity.ts'
import type { ImageName } from './service.ts'
import type { AppearanceRow } from './store.ts'

/** Returns the URL of a picture on this server; null if there is none (spec administration 2). */
export function imagePath(image: ImageName, name: string | null): string | null {
  return name === null ? null : `/uploads/-/system/appearance/${image}/1/${encodeURIComponent(name)}`
}

/** The appearance of the instance (spec rest-api, Appearance). */
export const Appearance = entity(
  'Appearance',
  {
    title: z.string(),
    short_title: z.string(),
    description: z.string(),
    pwa_name: z.string(),
    pwa_short_name: z.string(),
    pwa_description: z.string(),
    logo: z.string().nullable(),
    header_logo: z.string().nullable(),
    favicon: z.string().nullable(),
    pwa_icon: z.string().nullable(),
    new_project_guidelines: z.string(),
    profile_image_guidelines: z.string(),
    header_message: z.string(),
    footer_message: z.string(),
    message_background_color: z.string(),
    message_font_color: z.string(),
    email_header_and_footer_enabled: z.boolean(),
  },
  row<AppearanceRow>(),
  (row) => ({
    logo: imagePath('logo', row.logo),
    header_logo: imagePath('header_logo', row.header_logo),
    favicon: imagePath('favicon', row.favicon),
    pwa_icon: imagePath('pwa_icon', row.pwa_icon),
  }),
)

/** The settings that the window shows. */
export interface WindowSettings {
  readonly snippet_visibility: 'private' | 'internal' | 'public'
  readonly protects_variables: boolean
  readonly suggests_pipelines: boolean
  readonly reminds_of_ssh_keys: boolean
  /** 0 for Sunday, 1 for Monday, 6 for Saturday. */
  readonly first_day_of_week: number
  readonly whats_new: boolean
  readonly support_url: string | null
  readonly documentation_url: string | null
  /** Origins of other servers that texts may load pictures from. */
  readonly picture_origins: string[]
  /** Safe HTML; empty for anonymous callers. */
  readonly runners_text_html: string
}

const windowSettings = z.strictObject({
  snippet_visibility: z.enum(['private', 'internal', 'public']),
  protects_variables: z.boolean(),
  suggests_pipelines: z.boolean(),
  reminds_of_ssh_keys: z.boolean(),
  first_day_of_week: z.int(),
  whats_new: z.boolean(),
  support_url: z.string().nullable(),
  documentation_url: z.string().nullable(),
  picture_origins: z.array(z.string()),
  runners_text_html: z.string(),
})

/** The appearance for the window: texts as safe HTML, and the settings that the window shows. */
export const Look = entity(
  'WindowLook',
  {
    title: z.string(),
    short_title: z.string(),
    description_html: z.string(),
    logo: z.string().nullable(),
    header_logo: z.string().nullable(),
    favicon: z.string().nullable(),
    new_project_guidelines_html: z.string(),
    profile_image_guidelines_html: z.string(),
    header_message_html: z.string(),
    footer_message_html: z.string(),
    message_background_color: z.string(),
    message_font_color: z.string(),
    settings: windowSettings,
  },
  ({ settings, ...row }: AppearanceRow & { settings: WindowSettings }) => ({
    title: row.title,
    short_title: row.short_title,
    description_html: row.description_html,
    logo: imagePath('logo', row.logo),
    header_logo: imagePath('header_logo', row.header_logo),
    favicon: imagePath('favicon', row.favicon),
    new_project_guidelines_html: row.new_project_guidelines_html,
    profile_image_guidelines_html: row.profile_image_guidelines_html,
    header_message_html: row.header_message_html,
    footer_message_html: row.footer_message_html,
    message_background_color: row.message_background_color,
    message_font_color: row.message_font_color,
    settings,
  }),
)
