import { abilitiesOn } from '../../policy/ability.ts'
import { DEVELOPER, GUEST, MINIMAL, REPORTER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { featureLevel, project, type Project } from '../projects/index.ts'

const hasCode = (owner: Project): boolean => featureLevel(owner, 'repository') !== 'disabled'
const isCodeOpen = (owner: Project): boolean => featureLevel(owner, 'repository') === 'enabled'

/** What can be done with the releases of a project; a protected tag asks for more (`checkTag`). */
export const abilities = abilitiesOn(project, {
  read_release: { from: GUEST, feature: 'releases', public: true },
  /** One release is asked for by its tag, which is part of the code. */
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

/** The releases of a group are those of its projects that the reader sees. */
export const groupAbilities = abilitiesOn(group, {
  read_group_releases: { from: MINIMAL, public: true },
})
