import { z } from 'zod'

import { entity } from '../../http/entity.ts'
import type { ImageName } from './service.ts'
import type { AppearanceRow } from './store.ts'

/** The address of a picture on this server, null where there is none (spec administration 2). */
export function imagePath(image: ImageName, name: string | null): string | null {
  return name === null ? null : `/uploads/-/system/appearance/${image}/1/${encodeURIComponent(name)}`
}

/** What the instance looks like (spec rest-api, Appearance). */
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
  (row: AppearanceRow) => ({
    title: row.title,
    short_title: row.short_title,
    description: row.description,
    pwa_name: row.pwa_name,
    pwa_short_name: row.pwa_short_name,
    pwa_description: row.pwa_description,
    logo: imagePath('logo', row.logo),
    header_logo: imagePath('header_logo', row.header_logo),
    favicon: imagePath('favicon', row.favicon),
    pwa_icon: imagePath('pwa_icon', row.pwa_icon),
    new_project_guidelines: row.new_project_guidelines,
    profile_image_guidelines: row.profile_image_guidelines,
    header_message: row.header_message,
    footer_message: row.footer_message,
    message_background_color: row.message_background_color,
    message_font_color: row.message_font_color,
    email_header_and_footer_enabled: row.email_header_and_footer_enabled,
  }),
)

/** What settings say about the window. */
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
  /** Origins of other servers whose pictures texts may show. */
  readonly picture_origins: string[]
  /** Safe HTML; empty for visitors. */
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

/** The same as the window shows it: texts as safe HTML, and what settings say about it. */
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
