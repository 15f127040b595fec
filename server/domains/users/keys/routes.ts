import * as gpg from './gpg/routes.ts'
import * as ssh from './ssh/routes.ts'

/** Everything this domain answers. */
export const keyRoutes = [ssh, gpg].flatMap((module): unknown[] => Object.values(module).flat())
