export { wikiAbilities } from './policy.ts'
export { repoOfWiki } from './repository.ts'
export { byId as wikiById, ofGroup as wikiOfGroup, ofProject as wikiOfProject } from './store.ts'
export { groupWikiPlace, wikiAddress, wikiPlaceOf, type WikiOwner, type WikiRow } from './wiki.ts'
