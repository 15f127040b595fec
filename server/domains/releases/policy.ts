import { abilitiesOn } from '../../policy/ability.ts'
import { DEVELOPER, GUEST, MINIMAL, REPORTER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { featureLevel, project, type Project } from '../projects/index.ts'

const hasCode = (owner: Project): boolean => featureLevel(owner, 'repository') !== 'disabled'
const isCodeOpen = (owner: Project): boolean => featureLevel(owner, 'repository') === 'enabled'

/** Abilities on the releases of a project. For a protected tag, `mayUseTag` decides further. */
export const abilities = abilitiesOn(project, {
  read_release: { from: GUEST, feature: 'releases', public: true },
  /** To read a single release. Requests name it by its tag, so it requires access to the code. */
  read_release_of_tag: {
    from: REPORTER,
    feature: 'releases',
    public: true,
    openWhen: isCodeOpen,
    when: (_actor, owner) => hasCode(owner),
  },
  create_release: { from: DEVELOPER, feature: 'releases' },
  update_release: { from: DEVELOPER, feature: 'releases' },
  destroy_release: { from: DEVELOPER, feature: 'releases' },
})

/** Abilities on the releases of the projects in a group. The list shows only those that the reader can read. */
export const groupAbilities = abilitiesOn(group, {
  read_group_releases: { from: MINIMAL, public: true },
})
