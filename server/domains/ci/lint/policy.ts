import { abilitiesOn } from '../../../policy/ability.ts'
import { DEVELOPER } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

/** Whoever may start pipelines may try what they would be. */
export const abilities = abilitiesOn(project, {
  lint_pipelines: { from: DEVELOPER, feature: 'builds' },
})
