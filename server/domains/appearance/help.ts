import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { entity } from '../../http/entity.ts'
import { pictureOrigins, renderPlain } from '../markdown/index.ts'
import { settingsOf } from '../settings/index.ts'
import type { WindowSettings } from './entity.ts'

/** The help page: what the instance is, and what its administrators say. */
export const Help = entity(
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

/** Versions are for whoever is signed in; an attacker would know where to begin. */
export async function helpOf(ctx: Ctx) {
  const settings = settingsOf(ctx)
  const isKnown = ctx.actor.kind !== 'anonymous'
  return {
    version: isKnown ? ctx.config.version : null,
    revision: isKnown ? ctx.config.revision : null,
    text_html: await shown(ctx, settings.help_page_text),
    further_html: await shown(ctx, settings.help_text),
    support_url: address(settings.help_page_support_url),
    documentation_url: address(settings.help_page_documentation_base_url),
  }
}

/** What settings say about the window (spec administration 1.2). */
export async function windowSettingsOf(ctx: Ctx): Promise<WindowSettings> {
  const settings = settingsOf(ctx)
  const text = ctx.actor.kind === 'anonymous' ? null : settings.shared_runners_text
  return {
    snippet_visibility: settings.default_snippet_visibility,
    protects_variables: settings.protected_ci_variables,
    suggests_pipelines: settings.suggest_pipeline_enabled,
    reminds_of_ssh_keys: settings.user_show_add_ssh_key_message,
    first_day_of_week: settings.first_day_of_week,
    whats_new: settings.whats_new_variant !== 'disabled',
    support_url: address(settings.help_page_support_url),
    documentation_url: address(settings.help_page_documentation_base_url),
    picture_origins: pictureOrigins(settings),
    runners_text_html: await shown(ctx, text),
  }
}

async function shown(ctx: Ctx, text: string | null): Promise<string> {
  return text ? (await renderPlain(ctx, text)).trim() : ''
}

/** Only what leads to a page, or to somebody to write to. */
function address(url: string | null): string | null {
  return url && (/^(https?:\/\/|mailto:)/i.test(url) || /^\/(?!\/)/.test(url)) ? url : null
}
