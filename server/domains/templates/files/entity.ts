import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
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

/** A licence as it is listed and given out. */
export interface LicenseText {
  readonly license: License
  readonly terms: Terms
  readonly content: string
}

/** A licence with what it allows and its text (spec administration 13). */
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
  ({ license, terms, content }: LicenseText) => ({
    key: license.key,
    name: license.name,
    nickname: license.nickname,
    html_url: license.html_url,
    source_url: license.source_url,
    popular: terms.popular,
    description: terms.description,
    conditions: terms.conditions.slice(),
    permissions: terms.permissions.slice(),
    limitations: terms.limitations.slice(),
    content,
  }),
)
