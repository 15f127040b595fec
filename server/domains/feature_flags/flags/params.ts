import { param, refuse } from '../../../http/param.ts'
import { bool, hash, int, list, text } from '../../../http/params.ts'

/** A JSON value: as such in a JSON body, nested in a form, or as text. The service checks its content. */
function json(type: 'object' | 'array') {
  return param<unknown>({ type, ...(type === 'array' ? { items: { type: 'object' } } : {}) }, (raw) => {
    if (typeof raw !== 'string') return raw
    try {
      return JSON.parse(raw) as unknown
    } catch {
      return refuse('is invalid')
    }
  })
}

const strategyName = text({ max: 255 }).describe('One of the strategies')
const strategyParameters = json('object').describe('Parameters of the strategy')
const user_list_id = int().nullable().optional().describe('Id of a list of users of this project')
const environment_scope = text().describe('Name of an environment, with `*` for any characters')

const newStrategy = hash({
  name: strategyName,
  parameters: strategyParameters,
  user_list_id,
  scopes: list(hash({ environment_scope })).optional(),
})

const changedStrategy = hash({
  id: int().optional(),
  name: strategyName.optional(),
  parameters: strategyParameters.optional(),
  user_list_id,
  _destroy: bool().optional(),
  scopes: list(
    hash({
      id: int().optional(),
      environment_scope: environment_scope.optional(),
      _destroy: bool().optional(),
    }),
  ).optional(),
})

const common = {
  description: text().nullable().optional().describe('Description, at most 255 characters'),
  active: bool().optional().describe('Whether the flag is active'),
}
const name = text().describe('Name: 2 to 63 lowercase letters, digits, `-` and `_`')

/** The parameters of a new flag. */
export const newFlagParams = {
  name,
  version: text({ max: 255 })
    .optional()
    .describe(
      '`new_version_flag`; the default for a flag with strategies. Without either it is a legacy flag, which has scopes',
    ),
  ...common,
  strategies: list(newStrategy).optional().describe('Strategies: for which users and environments it is on'),
  scopes: list(
    hash({ environment_scope, active: bool().default(false), strategies: json('array').optional() }),
  )
    .optional()
    .describe('For legacy flags: the environments where it is on; the first one is for `*`'),
}

/** The parameters of a change. */
export const changedFlagParams = {
  name: name.optional(),
  ...common,
  strategies: list(changedStrategy)
    .optional()
    .describe('New strategies, and changed or (with `_destroy`) removed ones by id; others stay'),
}
