import { z } from 'zod'

import { entity } from '../../../http/entity.ts'

const choice = z.object({ value: z.union([z.string(), z.int()]), label: z.string() })

const described = z.object({
  name: z.string(),
  label: z.string(),
  help: z.string(),
  kind: z.enum([
    'switch',
    'number',
    'decimal',
    'text',
    'markdown',
    'choice',
    'list',
    'choices',
    'numbers',
    'weights',
    'switches',
    'object',
  ]),
  unit: z.string().nullable(),
  /** What an empty value means; null where it cannot be empty. */
  empty: z.string().nullable(),
  default: z.unknown(),
  /** Limits of a number, or of the length of a text or list. */
  minimum: z.number().nullable(),
  maximum: z.number().nullable(),
  choices: z.array(choice).nullable(),
  /** Settings that are sent together with this switch when it is switched on. */
  needs: z.array(z.string()),
  /** The switch below which it stands. */
  below: z.string().nullable(),
  effect: z.enum(['here', 'echo']),
  /** `hidden`: sealed, and in no answer; `shown`: sealed, and shown to administrators. */
  secret: z.enum(['hidden', 'shown']).nullable(),
})

/** A setting as the window explains it. */
export type Described = z.output<typeof described>

/** A theme with its settings. */
export interface DescribedGroup {
  name: string
  title: string
  settings: Described[]
}

/** Every application setting, by theme, with what the window needs for its field. */
export const SettingsCatalogue = entity(
  'SettingsCatalogue',
  { groups: z.array(z.object({ name: z.string(), title: z.string(), settings: z.array(described) })) },
  (groups: DescribedGroup[]) => ({ groups }),
)
