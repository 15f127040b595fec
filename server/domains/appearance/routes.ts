import { z } from 'zod'
import type { Ctx } from '../../ctx.ts'
import { atLeastOne, endpoint } from '../../http/endpoint.ts'
import { bool, choice, fileOrNone, text } from '../../http/params.ts'
import { noContent, ok, raw } from '../../http/returns.ts'
import { pictureOrigins, renderPlain } from '../markdown/index.ts'
import { settingsOf } from '../settings/index.ts'
import { appearanceOf, changeAppearance, IMAGES, type ImageName } from './service.ts'
import { entity, row } from '../../http/entity.ts'
import type { AppearanceRow } from './store.ts'

/** Returns the path of an image of the appearance; null without one (spec administration 2). */
function imagePath(image: ImageName, name: string | null): string | null {
  return name === null ? null : `/uploads/-/system/appearance/${image}/1/${encodeURIComponent(name)}`
}

/** The appearance of the instance (spec rest-api, Appearance). */
const Appearance = entity(
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

/** The settings that the window uses. */
interface WindowSettings {
  readonly snippet_visibility: 'private' | 'internal' | 'public'
  readonly protects_variables: boolean
  readonly suggests_pipelines: boolean
  readonly reminds_of_ssh_keys: boolean
  /** 0 for Sunday, 1 for Monday, 6 for Saturday. */
  readonly first_day_of_week: number
  readonly whats_new: boolean
  readonly support_url: string | null
  readonly documentation_url: string | null
  /** Origins of other servers from which texts may load images. */
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

/** The appearance for the window: texts as safe HTML, and the settings that the window uses. */
const WindowAppearance = entity(
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

/** The help page: the version of the instance, and the texts of its administrators. */
const Help = entity(
  'WindowHelp',
  {
    version: z.string().nullable(),
    revision: z.string().nullable(),
    text_html: z.string(),
    further_html: z.string(),
    support_url: z.string().nullable(),
    documentation_url: z.string().nullable(),
  },
  (row: {
    version: string | null
    revision: string | null
    text_html: string
    further_html: string
    support_url: string | null
    documentation_url: string | null
  }) => row,
)

/** Returns the help page. Only signed-in users see the version, because it would help an attacker. */
async function helpOf(ctx: Ctx) {
  const settings = settingsOf(ctx)
  const isSignedIn = ctx.actor.kind !== 'anonymous'
  return {
    version: isSignedIn ? ctx.config.version : null,
    revision: isSignedIn ? ctx.config.revision : null,
    text_html: await renderText(ctx, settings.help_page_text),
    further_html: await renderText(ctx, settings.help_text),
    support_url: safeLink(settings.help_page_support_url),
    documentation_url: safeLink(settings.help_page_documentation_base_url),
  }
}

/** Returns the settings that the window uses (spec administration 1.2). */
async function windowSettingsOf(ctx: Ctx): Promise<WindowSettings> {
  const settings = settingsOf(ctx)
  const text = ctx.actor.kind === 'anonymous' ? null : settings.shared_runners_text
  return {
    snippet_visibility: settings.default_snippet_visibility,
    protects_variables: settings.protected_ci_variables,
    suggests_pipelines: settings.suggest_pipeline_enabled,
    reminds_of_ssh_keys: settings.user_show_add_ssh_key_message,
    first_day_of_week: settings.first_day_of_week,
    whats_new: settings.whats_new_variant !== 'disabled',
    support_url: safeLink(settings.help_page_support_url),
    documentation_url: safeLink(settings.help_page_documentation_base_url),
    picture_origins: pictureOrigins(settings),
    runners_text_html: await renderText(ctx, text),
  }
}

async function renderText(ctx: Ctx, text: string | null): Promise<string> {
  return text ? (await renderPlain(ctx, text)).trim() : ''
}

/** Returns an http, https or mailto URL or a path of the instance; null for other values. */
function safeLink(url: string | null): string | null {
  return url && (/^(https?:\/\/|mailto:)/i.test(url) || /^\/(?!\/)/.test(url)) ? url : null
}

const INVALID = 'An image or a color is invalid: `{"message": {"<field>": ["…"]}}`'
const MAX_TEXT = 100_000

const markdown = (description: string) =>
  text({ max: MAX_TEXT }).optional().describe(`${description}, in Markdown`)
const line = (description: string, max = 255) => text({ max }).optional().describe(description)
const color = (description: string) => line(`${description}, \`#rgb\` or \`#rrggbb\``, 16)

const textParams = {
  title: line('Instance title on the sign-in page and in the title of the window'),
  short_title: line('Short title of the instance'),
  description: markdown('Text on the sign-in page'),
  pwa_name: line('Name of the Progressive Web App'),
  pwa_short_name: line('Short name of the Progressive Web App'),
  pwa_description: line('Description of the Progressive Web App', 2048),
  new_project_guidelines: markdown('Text on the page for a new project'),
  profile_image_guidelines: text({ max: 4096 })
    .optional()
    .describe('Text below the public avatar on the profile page, in Markdown'),
  header_message: markdown('Message in the header bar'),
  footer_message: markdown('Message in the footer bar'),
  message_background_color: color('Background color of the header and footer bars'),
  message_font_color: color('Font color of the header and footer bars'),
}
const image = (description: string) =>
  fileOrNone()
    .nullable()
    .optional()
    .describe(`${description}, at most 1 MB. An empty value removes the image`)
const imageParams = {
  logo: image('Image on the sign-in page'),
  header_logo: image('Image in the header of the window'),
  favicon: image('Favicon in .ico or .png format'),
  pwa_icon: image('Icon of the Progressive Web App in .png format'),
}
const emailParams = {
  email_header_and_footer_enabled: bool().optional().describe('Add the header and footer messages to emails'),
}

export const getAppearance = endpoint('GET /application/appearance', {
  summary: 'Get the current appearance',
  can: 'admin',
  returns: ok(Appearance),
  run: (ctx) => appearanceOf(ctx),
})

export const updateAppearance = endpoint('PUT /application/appearance', {
  summary: 'Update the appearance',
  can: 'admin',
  params: { ...textParams, ...imageParams, ...emailParams },
  parameterRules: [
    atLeastOne(...Object.keys(textParams), ...Object.keys(imageParams), ...Object.keys(emailParams)),
  ],
  fails: { 400: INVALID },
  returns: ok(Appearance),
  run: ({ params, ...ctx }) => {
    const { logo, header_logo, favicon, pwa_icon, email_header_and_footer_enabled, ...rest } = params
    const input = { logo, header_logo, favicon, pwa_icon }
    const files = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
    return changeAppearance(ctx, { texts: rest, email_header_and_footer_enabled, ...files })
  },
})

export const removeImage = endpoint('DELETE /-/admin/appearance/:image', {
  summary: 'Delete an appearance image',
  can: 'admin',
  params: { image: choice(...IMAGES).describe('The image') },
  returns: noContent,
  run: async ({ params, ...ctx }) => {
    await changeAppearance(ctx, { texts: {}, [params.image]: null })
  },
})

export const getWindowAppearance = endpoint('GET /-/look', {
  summary: 'Get the appearance for the window',
  can: 'anyone',
  allowsRestrictedSession: true,
  returns: ok(WindowAppearance),
  run: async (ctx) => ({ ...appearanceOf(ctx), settings: await windowSettingsOf(ctx) }),
})

export const getHelp = endpoint('GET /-/help', {
  summary: 'Get the help texts of the window',
  can: 'anyone',
  allowsRestrictedSession: true,
  returns: ok(Help),
  run: (ctx) => helpOf(ctx),
})

/** The manifest with which a browser can install the window as an application. */
export const manifest = endpoint('GET /-/manifest.json', {
  summary: 'Get the web application manifest',
  can: 'anyone',
  allowsRestrictedSession: true,
  returns: raw,
  run: (ctx) => {
    const appearance = appearanceOf(ctx)
    const name = appearance.pwa_name || appearance.title || 'Deskforge'
    const icon = imagePath('pwa_icon', appearance.pwa_icon)
    const body = {
      name,
      short_name: appearance.pwa_short_name || appearance.short_title || name,
      description: appearance.pwa_description || appearance.description,
      start_url: '/',
      scope: '/',
      display: 'standalone',
      icons: icon
        ? [{ src: icon, type: 'image/png', sizes: 'any' }]
        : [{ src: '/mark.svg', type: 'image/svg+xml', sizes: 'any' }],
    }
    return { type: 'application/manifest+json', body: JSON.stringify(body) }
  },
})
