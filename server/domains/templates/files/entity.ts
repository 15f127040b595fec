import { z } from 'zod'

import { entity, row } from '../../../http/entity.ts'
import type { License } from '../../projects/index.ts'
import type { Terms } from './license-terms.ts'

/** A template in a list (spec administration 13). */
export const TemplateEntry = entity(
  'TemplateEntry',
  { key: z.string(), name: z.string() },
  (row: { key: string; name: string }) => row,
)

/** A template with its text. */
export const Template = entity(
  'Template',
  { name: z.string(), content: z.string() },
  (row: { name: string; content: string }) => row,
)

/** A licence in lists and on its own. */
export interface LicenseText {
  readonly license: License
  readonly terms: Terms
  readonly content: string
}

/** A licence with its terms and its text (spec administration 13). */
export const LicenseTemplate = entity(
  'LicenseTemplate',
  {
    key: z.string(),
    name: z.string(),
    nickname: z.string().nullable(),
    html_url: z.string(),
    source_url: z.string(),
    popular: z.boolean(),
    description: z.string(),
    conditions: z.array(z.string()),
    permissions: z.array(z.string()),
    limitations: z.array(z.string()),
    content: z.string(),
  },
  row((view: LicenseText) => view.license),
  ({ terms, content }) => ({
    popular: terms.popular,
    description: terms.description,
    conditions: terms.conditions.slice(),
    permissions: terms.permissions.slice(),
    limitations: terms.limitations.slice(),
    content,
  }),
)
