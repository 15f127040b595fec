import type { Openness } from '../../policy/ability.ts'

/** Who uses the workbench. It changes the instance for everybody, so administrators only. */
export const useWorkbench: Openness = 'admin'
