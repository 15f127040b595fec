import * as keys from './keys/routes.ts'
import * as tokens from './tokens/routes.ts'

/** Everything this domain answers. */
export const deployRoutes = [keys, tokens].flatMap((module): unknown[] => Object.values(module).flat())
