/** Words that say little of what a prompt is about, whatever base it meets. Folded as words are (no diacritics). */

/** Grammar: never looked for. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by can
  cannot could did do does doing don done down during each either else ever every few for from further get gets got had has
  have having he her here hers him his how i if in into is it its itself just least let like ll may maybe me might mine more
  most much must my neither no nor not now of off ok okay on once one only or other our ours out over own per please quite
  rather re really same shall she should since so some still such than thanks thank that the their theirs them then there
  these they thing things this those though through to too under until up upon us ve very via was way we well were what
  whatever when where whether which while who whom whose why will with within without won would yes yet you your yours
  der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ist sind war waren wird werden
  wurde hat haben hatte ich du er sie es wir ihr mich mir uns euch ihnen wie was wo wann warum wer welche welcher welches
  mit von vom zu zum zur bei beim auf aus an am im in fur uber unter nach vor durch gegen ohne um bis seit als wenn dann
  weil dass ob auch nur noch schon sehr hier da dort man muss mussen kann konnen soll sollen darf durfen bitte mal unser
  unsere unseren unserem unserer sich so
  le la les un une des du de et ou mais ne pas que qui quoi dont est sont etait etre avoir avons avez ont nous vous ils
  elles je tu il elle on ce cet cette ces mon ma mes notre nos votre vos leur leurs avec sans pour par sur sous dans chez
  entre vers comment pourquoi quand quel quelle quels quelles si plus tres aussi au aux faut doit se
  el los las una unos unas y o pero no ni es son era ser estar hay tiene tenemos yo nosotros ellos ellas me te nos lo mi su
  sus nuestro nuestra con sin para por en entre sobre hasta desde como cuando donde cual quien muy tambien al del debe
  и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о
  из ему когда ну ли если или ни быть был для мы до где нас чем при это эта этот эти нужно можно надо какой какая какие
  какие почему наш наши нашей нам их над под после перед есть чтобы
  και να το τα τη την τησ τον του των τουσ οι ο η στο στη στην στον στα με για απο σε δε δεν που πωσ ποιο ποια ποιοσ ποτε
  ειναι εχουμε εχει θα αν αλλα ενα μια εναν μασ τι γιατι πρεπει κανουμε οταν
  我们 怎么 什么 如何 为什 么样 一个 这个 那个 可以 需要 应该 哪里 哪个 是否 是什 请问 没有 以及 或者 因为 所以 时候 是怎 么做 要怎 的时
  何で 何を 何が 場合 方法 事が 私た た方 方が 使い 教え 下さ 行う 行い 良い`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** What people ask of a coding agent in nearly every prompt: looked for, but alone no reason to find anything. */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  `add added adding ahead ask asking bad best better bit bring build call called cause change changed changes changing check
  clean code come commit complete correct create creating current currently day does doesn edit ensure example exist existing
  explain fail failing fails feature file files find first fix fixed fixing follow following give given go going good great
  happen happened happening happens hello help hey hi idea implement implementing issue job keep kind know last latest line
  lines list little long look looking lot made make makes making mean means move name need needed needs new next nice number
  old open part place possible problem project provide push put question quick quickly read reason rename replace report right
  run running runs say says see seem seems set setup show simple simply small someone something start step stop sure take
  task tell text thing time today tomorrow trying try turn understand update updated updating use used useful user uses
  using usually want wants week whole work working works write writing written wrong yesterday
  handle handled handling happen properly correctly currently always never correct actual actually people everyone
  datei dateien code andern anderung erstellen machen mache schreiben neu neue neuen zeig zeige erklare hilfe problem frage
  fichier code ajouter modifier creer faire ecrire nouveau nouvelle montre explique aide probleme
  archivo codigo anadir cambiar crear hacer escribir nuevo nueva muestra explica ayuda problema
  файл код добавить изменить создать сделать написать новый новая покажи объясни помоги проблема
  代码 文件 添加 修改 创建 帮我 解释 问题 写一 一下 実装 追加 変更 作成 修正 説明 問題`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Languages of Latin script other than English, known by their commonest words. */
export const CONTINENTAL_WORDS: ReadonlySet<string> = new Set(
  `der die das und ist nicht wir wie mit fur von auf den dem ein eine wird werden warum welche wo wann beim zum zur
  les des une est nous vous avec pour dans pas que qui comment pourquoi quand sur aux doit faut
  los las una para con por como cuando donde debe debemos porque del hay esta tenemos`.split(/\s+/),
);
