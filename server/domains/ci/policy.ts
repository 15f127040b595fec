import { abilitiesOn } from '../../policy/ability.ts'
import { DEVELOPER, GUEST, OWNER } from '../../policy/levels.ts'
import { project, type Project } from '../projects/index.ts'

const arePublic = (owner: Project): boolean => owner.public_jobs

/** Abilities on pipelines and jobs; protected branches and tags require more (`processing/policy.ts`). */
export const abilities = abilitiesOn(project, {
  read_pipelines: { from: GUEST, feature: 'builds', public: true, openWhen: arePublic },
  read_jobs: { from: GUEST, feature: 'builds', public: true, openWhen: arePublic },
  create_pipeline: { from: DEVELOPER, feature: 'builds' },
  change_jobs: { from: DEVELOPER, feature: 'builds' },
  destroy_pipeline: { from: OWNER, feature: 'builds' },
})
