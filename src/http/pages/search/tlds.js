// The TLDs that the page searches, in the order of its grid.

/** TLDs with a source that can prove that a name is available, most popular first. */
const real = `
  com net org io co app dev ai me info xyz online store site tech cloud shop page blog design studio digital agency
  de uk eu us fr nl ch ca au in fi pl cz br space website live life world today team works group company
  business art music film game games fun bar cafe coffee pizza kitchen food wine beer travel tours house land
  city earth garden eco green energy solar bike run fit fitness yoga health care clinic dental law legal tax money
  finance fund capital ventures bank insurance inc ltd llc academy school education university college science engineering systems software network
  solutions services support help codes tools chat email social community family kids love wedding gift events party photo photos gallery pics
  video media news guide guru ninja rocks wtf lol quest zone center market sale foundation charity fyi plus one global
  berlin hamburg paris london amsterdam nyc tokyo sydney africa asia tv cc fm is no sg to top vip zip`;

/** The suffixes of the built-in sandbox registry, which needs no network. */
const test = `
  test shop.test app.test dev.test io.test ai.test co.test me.test xyz.test web.test site.test page.test
  link.test blog.test news.test info.test club.test team.test cloud.test store.test online.test tech.test digital.test studio.test
  design.test media.test agency.test world.test city.test life.test live.test art.test games.test music.test cafe.test space.test`;

export const sets = { real: real.trim().split(/\s+/), test: test.trim().split(/\s+/) };
