import type { Openness } from '../../policy/ability.ts'

/** Only administrators use the workbench, because it changes the instance for all users. */
export const useWorkbench: Openness = 'admin'
